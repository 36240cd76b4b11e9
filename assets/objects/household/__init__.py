"""Household goods: appliances, sanitary ware, luggage and other household objects."""
