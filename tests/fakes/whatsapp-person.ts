/** A person's phone: keys of its own, and messages that only it can read. */
import {
  addTransactionCapability,
  type BinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  encodeBigEndian,
  getNextPreKeys,
  initAuthCreds,
  proto,
  type SignalDataSet,
  type SignalDataTypeMap,
  unpadRandomMax16,
  xmppPreKey,
  xmppSignedPreKey,
} from '@whiskeysockets/baileys';

const silent = { level: 'silent', child: () => silent, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

export interface Person {
  readonly phone: string;
  readonly lid: string;
  /** What somebody who wants to write to it is given, under the address that was asked for. */
  bundle(jid: string): Promise<BinaryNode>;
  read(encrypted: BinaryNode, from: string): Promise<proto.Message>;
  readGroup(facts: { readonly group: string; readonly from: string; readonly skmsg: Uint8Array }): Promise<proto.Message>;
}

function memoryKeys() {
  const kept = new Map<string, unknown>();
  return {
    get: <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
      const found: { [id: string]: SignalDataTypeMap[T] } = {};
      for (const id of ids) {
        const value = kept.get(`${type}:${id}`);
        if (value !== undefined) found[id] = value as SignalDataTypeMap[T];
      }
      return found;
    },
    set: (changes: SignalDataSet) => {
      for (const [type, values] of Object.entries(changes))
        for (const [id, value] of Object.entries(values ?? {}))
          if (value === null) kept.delete(`${type}:${id}`);
          else kept.set(`${type}:${id}`, value);
    },
  };
}

export function createPerson(phone: string, lid: string): Person {
  const creds = initAuthCreds();
  const keys = addTransactionCapability(memoryKeys(), silent, { maxCommitRetries: 1, delayBetweenTriesMs: 1 });
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys }, silent);
  const clear = (bytes: Uint8Array): proto.Message => proto.Message.decode(unpadRandomMax16(bytes));
  return {
    phone,
    lid,
    async bundle(jid) {
      const { update, preKeys } = await getNextPreKeys({ creds, keys }, 1);
      Object.assign(creds, update);
      const [[id, pair] = []] = Object.entries(preKeys);
      return {
        tag: 'user',
        attrs: { jid },
        content: [
          { tag: 'registration', attrs: {}, content: encodeBigEndian(creds.registrationId) },
          { tag: 'type', attrs: {}, content: Buffer.from([5]) },
          { tag: 'identity', attrs: {}, content: creds.signedIdentityKey.public },
          ...(pair === undefined ? [] : [xmppPreKey(pair, Number(id))]),
          xmppSignedPreKey(creds.signedPreKey),
        ],
      };
    },
    async read({ attrs, content }, from) {
      const type = attrs['type'] === 'pkmsg' ? 'pkmsg' : 'msg';
      const message = clear(await repository.decryptMessage({ jid: from, type, ciphertext: content as Uint8Array }));
      if (message.senderKeyDistributionMessage)
        await repository.processSenderKeyDistributionMessage({ authorJid: from, item: message.senderKeyDistributionMessage });
      return message;
    },
    readGroup: async ({ group, from, skmsg }) => clear(await repository.decryptGroupMessage({ group, authorJid: from, msg: skmsg })),
  };
}
