/** In the order in which they are asked, those that are configured. */
export const providerNames = ['searxng', 'brave', 'tavily', 'exa', 'firecrawl'] as const;
export type ProviderName = (typeof providerNames)[number];
