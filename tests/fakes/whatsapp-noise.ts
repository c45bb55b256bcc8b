/**
 * WhatsApp's side of the handshake (Noise_XX_25519_AESGCM_SHA256 with a certificate chain) and of the frames after it. The client library
 * checks the chain against WhatsApp's root key: `trustFakeWhatsApp` puts the fake's root key in its place, as one would trust a test
 * authority.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import {
  aesDecryptGCM,
  aesEncryptGCM,
  type BinaryNode,
  Curve,
  decodeBinaryNode,
  encodeBinaryNode,
  hkdf,
  NOISE_MODE,
  NOISE_WA_HEADER,
  proto,
  sha256,
  WA_CERT_DETAILS,
} from '@whiskeysockets/baileys';

/** The same in every process, so that a gateway of its own can trust it. Worth nothing elsewhere. */
const ROOT_PRIVATE = Buffer.from('hermes fake whatsapp root key 01', 'latin1');
const PKCS8_X25519 = Buffer.from('302e020100300506032b656e04220420', 'hex');

function publicOf(raw: Buffer): Buffer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_X25519, raw]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
}

/** For this process. */
export function trustFakeWhatsApp(): void {
  WA_CERT_DETAILS.PUBLIC_KEY.set(publicOf(ROOT_PRIVATE));
}

function certificates(leafKey: Uint8Array): Uint8Array {
  const intermediate = Curve.generateKeyPair();
  const { Details } = proto.CertChain.NoiseCertificate;
  const intermediateDetails = Details.encode({ serial: 1, issuerSerial: WA_CERT_DETAILS.SERIAL, key: intermediate.public }).finish();
  const leafDetails = Details.encode({ serial: 2, issuerSerial: 1, key: leafKey }).finish();
  return proto.CertChain.encode({
    leaf: { details: leafDetails, signature: Curve.sign(intermediate.private, leafDetails) },
    intermediate: { details: intermediateDetails, signature: Curve.sign(ROOT_PRIVATE, intermediateDetails) },
  }).finish();
}

export interface NoiseHandlers {
  send(bytes: Buffer): void;
  /** The handshake is done. */
  hello(payload: proto.ClientPayload): void;
  node(node: BinaryNode): void;
}

export interface NoiseServer {
  receive(bytes: Buffer): Promise<void>;
  send(node: BinaryNode): void;
}

function counterIv(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
}

export function createNoiseServer(handlers: NoiseHandlers): NoiseServer {
  const ephemeral = Curve.generateKeyPair();
  const lasting = Curve.generateKeyPair();
  const mode = Buffer.from(NOISE_MODE);
  let hash: Buffer = mode.length === 32 ? mode : sha256(mode);
  let salt: Uint8Array = hash;
  let key: Uint8Array = hash;
  let counter = 0;
  let transport: { readonly read: Uint8Array; readonly write: Uint8Array; reads: number; writes: number } | undefined;
  let buffered = Buffer.alloc(0);
  let stage: 'intro' | 'hello' | 'finish' | 'open' = 'intro';

  const authenticate = (data: Uint8Array): void => {
    hash = sha256(Buffer.concat([hash, data]));
  };
  const split = (data: Uint8Array): [Uint8Array, Uint8Array] => {
    const keys = hkdf(Buffer.from(data), 64, { salt: Buffer.from(salt), info: '' });
    return [keys.subarray(0, 32), keys.subarray(32)];
  };
  const mix = (data: Uint8Array): void => {
    [salt, key] = split(data);
    counter = 0;
  };
  const encrypt = (data: Uint8Array): Buffer => {
    const result = aesEncryptGCM(data, key, counterIv(counter), hash);
    counter += 1;
    authenticate(result);
    return result;
  };
  const decrypt = (data: Uint8Array): Buffer => {
    const result = aesDecryptGCM(data, key, counterIv(counter), hash);
    counter += 1;
    authenticate(data);
    return result;
  };
  const frame = (data: Uint8Array): void => {
    const head = Buffer.from([(data.length >> 16) & 0xff, (data.length >> 8) & 0xff, data.length & 0xff]);
    handlers.send(Buffer.concat([head, data]));
  };
  const clientHello = (data: Uint8Array): void => {
    const theirs = proto.HandshakeMessage.decode(data).clientHello?.ephemeral ?? new Uint8Array();
    authenticate(NOISE_WA_HEADER);
    authenticate(theirs);
    authenticate(ephemeral.public);
    mix(Curve.sharedKey(ephemeral.private, theirs));
    const staticKey = encrypt(lasting.public);
    mix(Curve.sharedKey(lasting.private, theirs));
    const payload = encrypt(certificates(lasting.public));
    frame(proto.HandshakeMessage.encode({ serverHello: { ephemeral: ephemeral.public, static: staticKey, payload } }).finish());
  };
  const clientFinish = (data: Uint8Array): proto.ClientPayload => {
    const finish = proto.HandshakeMessage.decode(data).clientFinish;
    const theirStatic = decrypt(finish?.static ?? new Uint8Array());
    mix(Curve.sharedKey(ephemeral.private, theirStatic));
    const payload = proto.ClientPayload.decode(decrypt(finish?.payload ?? new Uint8Array()));
    const [read, write] = split(new Uint8Array(0));
    transport = { read, write, reads: 0, writes: 0 };
    return payload;
  };
  const handle = async (data: Buffer): Promise<void> => {
    if (stage === 'hello') {
      clientHello(data);
      stage = 'finish';
    } else if (stage === 'finish') {
      const payload = clientFinish(data);
      stage = 'open';
      handlers.hello(payload);
    } else if (transport !== undefined) {
      const clear = aesDecryptGCM(data, transport.read, counterIv(transport.reads++), Buffer.alloc(0));
      handlers.node(await decodeBinaryNode(clear));
    }
  };
  return {
    async receive(bytes) {
      buffered = Buffer.concat([buffered, bytes]);
      if (stage === 'intro' && buffered.length >= NOISE_WA_HEADER.length) {
        buffered = buffered.subarray(NOISE_WA_HEADER.length);
        stage = 'hello';
      }
      while (stage !== 'intro' && buffered.length >= 3) {
        const size = buffered.readUIntBE(0, 3);
        if (buffered.length < size + 3) return;
        const data = buffered.subarray(3, size + 3);
        buffered = buffered.subarray(size + 3);
        await handle(data);
      }
    },
    send(node) {
      if (transport === undefined) throw new Error('the handshake is not done');
      frame(aesEncryptGCM(encodeBinaryNode(node), transport.write, counterIv(transport.writes++), Buffer.alloc(0)));
    },
  };
}
