"""A small OpenDRIVE text with elements that the six towns lack: spiral, parametric cubic, two lane sections."""

LANE = """<lane id="{id}" type="{type}" level="false"><link>{link}</link>
<width sOffset="0" a="{width}" b="0" c="0" d="0"/>
<roadMark sOffset="0" type="{mark}" weight="standard" color="standard"/></lane>"""
CENTER = """<center><lane id="0" type="none" level="false">
<roadMark sOffset="0" type="broken" color="standard"/></lane></center>"""


def lane(number: int, kind: str = "driving", width: float = 3.5, mark: str = "solid", link: str = "") -> str:
    return LANE.format(id=number, type=kind, width=width, mark=mark, link=link)


def section(s: float, left: list[str], right: list[str]) -> str:
    return f'<laneSection s="{s}"><left>{"".join(left)}</left>{CENTER}<right>{"".join(right)}</right></laneSection>'


GEOMETRY = """
<geometry s="0" x="0" y="0" hdg="0" length="40"><line/></geometry>
<geometry s="40" x="40" y="0" hdg="0" length="30"><spiral curvStart="0" curvEnd="0.02"/></geometry>
<geometry s="70" x="69.7309" y="2.9819" hdg="0.3" length="40"><arc curvature="0.02"/></geometry>
<geometry s="110" x="100.9206" y="27.1099" hdg="1.1" length="50">
<paramPoly3 aU="0" bU="1" cU="0" dU="0" aV="0" bV="0" cV="0.002" dV="0" pRange="arcLength"/></geometry>"""


def odd_road() -> str:
    one = section(0, [lane(1)], [lane(-1, link='<successor id="-1"/>')])
    two = section(80, [lane(1)], [lane(-1, mark="broken", link='<predecessor id="-1"/>'), lane(-2, "shoulder", 1.5)])
    return f"""<?xml version="1.0"?><OpenDRIVE><header revMajor="1" revMinor="4" name="odd" version="1"/>
<road name="odd" length="160" id="7" junction="-1"><link/><type s="0" type="town"><speed max="50" unit="km/h"/></type>
<planView>{GEOMETRY}</planView>
<elevationProfile><elevation s="0" a="2" b="0" c="0.0006" d="0"/></elevationProfile><lateralProfile/>
<lanes>{one}{two}</lanes>
<signals><signal id="3" name="limit" s="60" t="-4.5" zOffset="0" hOffset="0" orientation="+" dynamic="no"
country="DE" type="274" subtype="50" value="50" roll="0" pitch="0"/></signals></road></OpenDRIVE>"""
