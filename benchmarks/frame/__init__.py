"""The frame every figure stands in. A figure is one file, `benchmarks/p7_export.py`, found by its name:

    def main(bench: Bench) -> None:
        with stand(web=2) as it:                # PostgreSQL, Redis and the product, all of this figure's own
            service = it.provision()            # ids, keys and templates of a live service without limits
            floor = it.start_floor()            # the bare Django view, under the same server
            ours = signed(service, "/v2/notifications")
            found = bench.interleave(           # rounds that take turns; each function returns what one round found
                product=lambda: load.run(ours, clients=8, seconds=bench.seconds).per_second,
                floor=lambda: load.run(Call(url=…), clients=8, seconds=bench.seconds).per_second,
            )
            bench.show("P7 …", found["product"], "req/s", against=("floor", found["floor"]), at_least=0.6)

`bench` prints the JSON line of each figure, and the table at the end; `load` says a call over and over by wrk;
`processes` reads CPU and memory of what runs; `stand` says what is on the stand.
"""
