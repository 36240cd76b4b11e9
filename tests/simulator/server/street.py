"""A small street as OpenDRIVE: one straight road with sidewalks, a crossing and a signal; fast to build and render."""

from __future__ import annotations

LENGTH_M = 160.0

_SIDE = """<lane id="{s}1" type="driving" level="false"><link/><width sOffset="0" a="3.5" b="0" c="0" d="0"/>
<roadMark sOffset="0" type="solid" weight="standard" color="standard" width="0.12" laneChange="none"/></lane>"""
_WALK = """<lane id="{s}2" type="sidewalk" level="false"><link/><width sOffset="0" a="2.5" b="0" c="0" d="0"/>
<roadMark sOffset="0" type="none" weight="standard" color="standard" width="0.1" laneChange="none"/></lane>"""

STREET = f"""<?xml version="1.0" standalone="yes"?>
<OpenDRIVE><header revMajor="1" revMinor="4" name="street" version="1" north="0" south="0" east="0" west="0">
<geoReference><![CDATA[+proj=tmerc +lat_0=42 +lon_0=2 +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m]]></geoReference>
</header>
<road name="street" length="{LENGTH_M}" id="7" junction="-1"><link/>
<type s="0" type="town"><speed max="40" unit="km/h"/></type>
<planView><geometry s="0" x="0" y="0" hdg="0" length="{LENGTH_M}"><line/></geometry></planView>
<elevationProfile><elevation s="0" a="0" b="0" c="0" d="0"/></elevationProfile><lateralProfile/>
<lanes><laneOffset s="0" a="0" b="0" c="0" d="0"/><laneSection s="0">
<left>{_WALK.format(s="")}{_SIDE.format(s="")}</left>
<center><lane id="0" type="none" level="false">
<roadMark sOffset="0" type="broken" weight="standard" color="standard" width="0.12" laneChange="both"/></lane></center>
<right>{_SIDE.format(s="-")}{_WALK.format(s="-")}</right>
</laneSection></lanes>
<objects><object id="1" name="SimpleCrosswalk" s="62" t="0" zOffset="0" hdg="0" pitch="0" roll="0" orientation="none"
 type="crosswalk" width="4" length="7"><outline>
<cornerLocal u="-2" v="-3.5" z="0"/><cornerLocal u="2" v="-3.5" z="0"/><cornerLocal u="2" v="3.5" z="0"/>
<cornerLocal u="-2" v="3.5" z="0"/><cornerLocal u="-2" v="-3.5" z="0"/></outline></object></objects>
<signals><signal s="100" t="-5.5" id="11" name="light" dynamic="yes" orientation="+" zOffset="0" country="OpenDRIVE"
 type="1000001" subtype="-1" value="-1" unit="" height="1" width="0.5" hOffset="0" pitch="0" roll="0">
<validity fromLane="-1" toLane="-1"/></signal></signals>
</road></OpenDRIVE>
"""
