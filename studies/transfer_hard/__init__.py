"""Study of hard sets: do frames that fool one run fool the others?"""
