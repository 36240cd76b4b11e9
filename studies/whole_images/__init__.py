"""Study of whole images: does a classifier of pictures notice hazards and outliers?"""
