/** How long the end of a body that nobody wants any more is waited for before its connection is given up. */
const drainMs = 1_000;

/**
 * A fetch whose streamed answers may be left before their last byte without losing the connection. The openai client stops reading at
 * "[DONE]"; the end of the body often comes a packet later, and undici closes a connection whose body was cancelled. Each request would
 * pay for a new TLS handshake. An abort by signal still closes the connection at once.
 */
export async function drainingFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const { status, statusText, headers } = response;
  return new Response(draining(response.body), { status, statusText, headers });
}

function draining(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        void drain(reader);
      },
    },
    { highWaterMark: 0 },
  );
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const giveUp = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(giveUp, drainMs);
  timer.unref();
  try {
    while (!(await reader.read()).done);
  } catch {
    // the connection is gone anyway
  } finally {
    clearTimeout(timer);
  }
}
