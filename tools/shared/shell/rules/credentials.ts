import { commandName } from '../command.ts';
import { ask, type Rule } from './rule.ts';

/** What, said to a program that keeps credentials, makes it print them. The words behind the name, joined. */
const PRINTS: Readonly<Record<string, RegExp>> = {
  getent: /^g?shadow\b/u,
  'secret-tool': /^(?:lookup|search)\b/u,
  security: /^(?:find-\S+-password|dump-keychain|export)\b/u,
  pass: /^(?!(?:ls|list|find|search|grep|git|init|help|version|insert|generate)\b)\S/u,
  gopass: /^(?:show|cat|env|[\w-]+\/)/u,
  op: /^(?:read|item get|document get|inject)\b/u,
  bw: /^(?:get|export|unlock|login)\b/u,
  lpass: /^(?:show|export)\b/u,
  keyctl: /^(?:print|read|pipe)\b/u,
  vault: /^(?:read|kv get|token create|print token|unwrap)\b/u,
  gh: /^auth (?:token|status .*(?:-t\b|--show-token))/u,
  glab: /^auth status .*(?:-t\b|--show-token)/u,
  gcloud: /^auth (?:application-default )?print-/u,
  az: /^(?:account get-access-token|keyvault secret (?:show|download)|acr credential)/u,
  aws: /\b(?:configure (?:get|export-credentials)|get-session-token|get-login-password|get-secret-value|get-federation-token|assume-role\S*|get-parameters?\b.*--with-decryption)/u,
  kubectl: /^(?:get|describe) (?:\S+ )*?secrets?\b|^config view\b.*--raw/u,
  oc: /^(?:get (?:\S+ )*?secrets?\b|whoami -t|whoami --show-token)/u,
  heroku: /^(?:auth:token|config)\b/u,
  fly: /^(?:auth token|tokens)\b/u,
  flyctl: /^(?:auth token|tokens)\b/u,
  doppler: /^secrets\b/u,
  chamber: /^(?:read|export|list)\b/u,
  sops: /^(?:-d|--decrypt|decrypt|exec-env)\b/u,
  'ansible-vault': /^(?:view|decrypt|edit)\b/u,
  terraform: /^output\b.*-(?:raw|json)/u,
};

/** Programs that lend credentials to others, and print them when they are asked. */
const HELPERS = /^(?:docker|git)-credential-/u;

export const credentials: Rule = (command) => {
  const name = commandName(command);
  const words = command.argv.slice(1).join(' ');
  const prints = HELPERS.test(name) || (Object.hasOwn(PRINTS, name) && PRINTS[name]?.test(words) === true);
  return prints ? ask('It prints passwords, keys or tokens.') : [];
};
