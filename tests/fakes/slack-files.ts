/** Files of the fake Slack: tickets, uploads and downloads, these with the bot's token only. */
import type http from 'node:http';
import { type Fields, refuse, text } from './slack-refusal.ts';

export interface FakeFile {
  readonly id: string;
  readonly name: string;
  readonly length: number;
  content: Buffer | undefined;
  deleted: boolean;
}

export function createFiles() {
  const files = new Map<string, FakeFile>();
  const nextId = (): string => `F0FAKE${String(files.size + 1).padStart(4, '0')}`;

  return {
    ticket(fields: Fields, origin: string): Fields {
      const length = Number(text(fields, 'length'));
      if (text(fields, 'filename') === '' || !Number.isInteger(length) || length <= 0) refuse('invalid_arguments');
      const id = nextId();
      files.set(id, { id, name: text(fields, 'filename'), length, content: undefined, deleted: false });
      return { file_id: id, upload_url: `${origin}/upload/${id}` };
    },
    receive(id: string, content: Buffer, response: http.ServerResponse): void {
      const file = files.get(id);
      if (file === undefined || content.length !== file.length) {
        response.writeHead(400).end('size mismatch');
        return;
      }
      file.content = content;
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`OK - ${content.length}`);
    },
    complete(id: string): FakeFile {
      const file = files.get(id);
      if (file?.content === undefined) return refuse('file_not_found');
      return file;
    },
    remove(id: string): void {
      const file = files.get(id);
      if (file?.deleted !== false) refuse(file === undefined ? 'file_not_found' : 'file_deleted');
      else file.deleted = true;
    },
    info(id: string, origin: string): Fields {
      const file = files.get(id);
      if (file === undefined) return refuse('file_not_found');
      return { file: { id, name: file.name, size: file.length, url_private_download: `${origin}/files/${id}` } };
    },
    /** What a message carries for a file of a person. */
    add(origin: string, { name, content, more }: { name: string; content: Buffer; more: Fields }): Fields {
      const id = nextId();
      files.set(id, { id, name, length: content.length, content, deleted: false });
      const address = `${origin}/files/${id}`;
      return {
        id,
        name,
        size: content.length,
        mimetype: 'application/octet-stream',
        mode: 'hosted',
        url_private: address,
        url_private_download: address,
        ...more,
      };
    },
    serve(id: string, signedIn: boolean, response: http.ServerResponse): void {
      const file = files.get(id);
      if (!signedIn) response.writeHead(302, { location: '/signin' }).end();
      else if (file?.content === undefined || file.deleted) response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.content.length }).end(file.content);
    },
    contentOf: (id: string): Buffer | undefined => files.get(id)?.content,
  };
}
