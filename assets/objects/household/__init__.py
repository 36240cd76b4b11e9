"""Household goods: appliances, sanitary ware, luggage and what else falls off a removal van."""
