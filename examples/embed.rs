//! Embeds the engine: `cargo run --release --example embed`.

use opline::{Argument, Engine, Error};

const SOURCE: &[u8] = b"<?php
function price(array $items): float {
    $sum = 0.0;
    foreach ($items as $item) {
        $sum += host_lookup($item) ?? throw new OutOfBoundsException(\"no price for $item\");
    }
    return round($sum, 2);
}
echo 'ready, PHP ', PHP_VERSION, \"\\n\";
";

fn main() -> Result<(), Error> {
    let engine = Engine::new();
    let script = engine.compile(SOURCE, "price.php")?;

    // A script may run in many VMs at once, on any threads.
    let threads: Vec<_> = (1..=2)
        .map(|number| {
            let (script, mut vm) = (script.clone(), engine.vm());
            std::thread::spawn(move || -> Result<(), Error> {
                vm.capture_output();
                vm.register_function("host_lookup", |arguments| match &arguments[0] {
                    Argument::Text(name) if name == b"apple" => Argument::Float(0.5),
                    Argument::Text(name) if name == b"bread" => Argument::Float(2.25),
                    _ => Argument::Null,
                });
                vm.run(&script)?;
                let items = |names: &[&str]| {
                    let names = names
                        .iter()
                        .map(|name| Argument::Text(name.as_bytes().to_vec()));
                    vec![Argument::List(names.collect())]
                };
                println!(
                    "{number}: {:?}",
                    vm.call("price", items(&["apple", "bread", "apple"]))
                );
                println!("{number}: {:?}", vm.call("price", items(&["caviar"])));
                print!("{number}: {}", String::from_utf8_lossy(&vm.take_output()));
                Ok(())
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("no panic")?;
    }

    match engine.compile(b"<?php\necho 1 +;", "wrong.php") {
        Err(Error::Parse { message, line, .. }) => println!("line {line}: {message}"),
        other => println!("unexpected: {other:?}"),
    }
    Ok(())
}
