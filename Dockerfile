# Models over HTTP: docker build -t treevote . && docker run -p 127.0.0.1:8001:8001 -v "$PWD/model:/model:ro" treevote
FROM python:3.12-slim AS build
COPY . /src
RUN python -m venv /opt/treevote && /opt/treevote/bin/pip install --no-cache-dir '/src[serve]'

FROM python:3.12-slim
COPY --from=build /opt/treevote /opt/treevote
ENV PATH="/opt/treevote/bin:$PATH" TREEVOTE_CACHE_DIR=/var/cache/treevote
RUN useradd --system --no-create-home --uid 10001 treevote && install -d -o treevote "$TREEVOTE_CACHE_DIR"
USER 10001
RUN treevote warm all
EXPOSE 8001
HEALTHCHECK --start-period=30s CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8001/health', timeout=3)"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["treevote", "serve", "--host", "0.0.0.0"]
CMD ["/model"]
