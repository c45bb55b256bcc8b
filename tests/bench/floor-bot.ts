/** The smallest bot that does the job at all: long poll, one model call, one send. No store, no agent, no tools: the floor of the harness. */
import http from 'node:http';

const { FLOOR_TELEGRAM: telegram, FLOOR_MODEL: model } = process.env;
const agent = new http.Agent({ keepAlive: true });

function post(url: string, body: object): Promise<unknown> {
  const data = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data), authorization: 'Bearer x' };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    });
    request.on('error', reject);
    request.end(data);
  });
}

interface Update {
  readonly update_id: number;
  readonly message: { readonly chat: { readonly id: number }; readonly text: string };
}

async function answer({ message }: Update): Promise<void> {
  const completion = (await post(`${model}/chat/completions`, { model: 'floor', messages: [{ role: 'user', content: message.text }] })) as {
    readonly choices: readonly [{ readonly message: { readonly content: string } }];
  };
  await post(`${telegram}/sendMessage`, { chat_id: message.chat.id, text: completion.choices[0].message.content });
}

for (let offset = 0; ; ) {
  const { result } = (await post(`${telegram}/getUpdates`, { offset, timeout: 25 })) as { readonly result: readonly Update[] };
  for (const update of result) {
    offset = update.update_id + 1;
    void answer(update);
  }
}
