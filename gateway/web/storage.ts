/** The browser's storage, which may be full or forbidden: then the page works on, and forgets when it is closed. */
export interface Shelf {
  read(key: string): string | undefined;
  write(key: string, value: string | undefined): void;
}

export function createShelf(storage: () => Storage): Shelf {
  const memory = new Map<string, string>();
  return {
    read(key) {
      try {
        return storage().getItem(key) ?? memory.get(key);
      } catch {
        return memory.get(key);
      }
    },
    write(key, value) {
      memory.delete(key);
      try {
        if (value === undefined) storage().removeItem(key);
        else storage().setItem(key, value);
      } catch {
        if (value !== undefined) memory.set(key, value);
      }
    },
  };
}
