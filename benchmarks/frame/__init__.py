"""The framework of all figures. A figure is one file such as `benchmarks/p7_export.py`, which is found by its name:

    def main(bench: Bench) -> None:
        with stand(web=2) as it:                # PostgreSQL, Redis and the product, for this figure only
            service = it.provision()            # ids, keys and templates of a live service without limits
            floor = it.start_floor()            # the bare Django view under the same server
            ours = signed(service, "/v2/notifications")
            found = bench.interleave(           # alternating rounds; each function returns the value of one round
                product=lambda: load.run(ours, clients=8, seconds=bench.seconds).per_second,
                floor=lambda: load.run(Call(url=…), clients=8, seconds=bench.seconds).per_second,
            )
            bench.show("P7 …", found["product"], "req/s", against=("floor", found["floor"]), at_least=0.6)

`bench` prints a JSON line for each figure, and a table at the end. `load` repeats a call with wrk. `processes` reads
CPU and memory of processes. `stand` starts the product and its stores.
"""
