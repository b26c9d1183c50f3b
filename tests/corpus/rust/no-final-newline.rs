fn a() {}

fn b() {}