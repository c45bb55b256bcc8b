/**
 * For `node --import`: a gateway in a process of its own trusts the fake WhatsApp's root key (whatsapp-noise.ts has the same). Plain
 * JavaScript, so that the process that is measured does not load what strips types.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { WA_CERT_DETAILS } from '@whiskeysockets/baileys';

const pkcs8 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const root = Buffer.from('hermes fake whatsapp root key 01', 'latin1');
const key = createPrivateKey({ key: Buffer.concat([pkcs8, root]), format: 'der', type: 'pkcs8' });
WA_CERT_DETAILS.PUBLIC_KEY.set(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32));
