"""Networks: PSPNet and its relatives, hypercolumn, mask transformer, observer, classifiers of whole images."""
