# heed in a container: docker build --build-arg COMMIT=$(git describe --always) -t heed . && docker run --rm heed
# `build` has the compiler, the sources and the tests; the last stage only the program with its data.
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends make ca-certificates git
WORKDIR /heed
COPY scripts/setup.sh scripts/setup.sh
RUN scripts/setup.sh package
COPY . .
ARG COMMIT=unknown
RUN HEED_COMMIT=$COMMIT make package

FROM debian:12-slim
COPY --from=build /heed/build/package/heed_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/heed_*.deb && rm -rf /tmp/heed_*.deb /var/lib/apt/lists/*
RUN useradd --create-home heed
USER heed
WORKDIR /home/heed
ENTRYPOINT ["heed"]
CMD ["--help"]
