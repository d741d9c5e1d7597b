# Stands in for the official image of NATS where no registry can be reached: Debian's package, and the wget that the
# Alpine image has.
ARG RUNTIME_IMAGE=debian:bookworm-slim
FROM ${RUNTIME_IMAGE}
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nats-server wget \
    && rm -rf /var/lib/apt/lists/* /usr/share/doc/* /usr/share/man/*
LABEL doorstep.stand-in="nats-server from Debian's packages"
ENTRYPOINT ["nats-server"]
