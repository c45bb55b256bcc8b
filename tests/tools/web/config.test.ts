import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { webPlatform } from '../../../adapters/web/platform.ts';
import { loadConfig } from '../../../gateway/config/load.ts';
import { gatewayAliases, gatewaySections } from '../../../gateway/config/sections.ts';
import { toolSections } from '../../../tools/index.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(os.tmpdir(), 'web-config-'));
});

afterEach(() => rmSync(home, { recursive: true }));

function load(yaml: string, env = '') {
  writeFileSync(path.join(home, 'config.yaml'), yaml);
  writeFileSync(path.join(home, '.env'), env);
  return loadConfig({ ...toolSections, ...gatewaySections, web: webPlatform }, { home, env: {}, aliases: gatewayAliases });
}

describe('the configuration of the web tools', () => {
  it('takes the keys from .env under the names that Hermes Agent gives them, as secrets', () => {
    const { config, secrets } = load(
      '',
      'SEARXNG_URL=http://localhost:8080\nBRAVE_SEARCH_API_KEY=brave-1\nTAVILY_API_KEY=tavily-1\nEXA_API_KEY=exa-1\nFIRECRAWL_API_KEY=fire-1\nFIRECRAWL_API_URL=http://localhost:3002\n',
    );
    expect(config.web_tools).toMatchObject({
      searxng_url: 'http://localhost:8080',
      brave_api_key: 'brave-1',
      tavily_api_key: 'tavily-1',
      exa_api_key: 'exa-1',
      firecrawl_api_key: 'fire-1',
      firecrawl_url: 'http://localhost:3002',
    });
    expect(secrets).toEqual(expect.arrayContaining(['brave-1', 'tavily-1', 'exa-1', 'fire-1']));
    expect(load('', 'BRAVE_API_KEY=brave-2\n').config.web_tools.brave_api_key).toBe('brave-2');
    expect(load('web_tools:\n  exa_api_key: from-yaml\n').secrets).toContain('from-yaml');
  });

  it('knows which service Hermes Agent asks first, beside the settings of the page', () => {
    const { config, warnings } = load(
      'web:\n  port: 9200\n  backend: tavily\n  search_backend: brave-free\n  extract_backend: firecrawl\n',
    );
    expect(config.web_tools.search_backend).toBe('brave');
    expect(config.web).toMatchObject({ port: 9200 });
    expect(warnings).toEqual(['config.yaml: 1 key of Hermes Agent not used here yet: web.extract_backend']);
    expect(load('web:\n  backend: tavily\n').config.web_tools.search_backend).toBe('tavily');
    expect(load('web:\n  backend: parallel\n').config.web_tools.search_backend).toBe('');
    expect(load('web:\n  backend: exa\nweb_tools:\n  search_backend: tavily\n').config.web_tools.search_backend).toBe('tavily');
  });

  it('opens private addresses only where the owner says so', () => {
    expect(load('').config.security.allow_private_urls).toBe(false);
    expect(load('security:\n  allow_private_urls: true\n  tirith_enabled: true\n').config.security.allow_private_urls).toBe(true);
    expect(load('', 'HERMES_ALLOW_PRIVATE_URLS=true\n').config.security.allow_private_urls).toBe(true);
  });

  it('refuses an address of a service that is none', () => {
    expect(() => load('', 'SEARXNG_URL=localhost:8080\n')).toThrow(/SEARXNG_URL \(\.env line 1, for web_tools\.searxng_url\)/);
  });
});
