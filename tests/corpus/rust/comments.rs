// plain
fn a() {} // behind

/* block */
#[x]

fn b() {}
//! inner
