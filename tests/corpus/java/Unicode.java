class É { String ü = "😀"; void ß() {} }
