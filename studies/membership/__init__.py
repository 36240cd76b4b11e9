"""Study of set membership: does a picture belong to a set of a few others?"""
