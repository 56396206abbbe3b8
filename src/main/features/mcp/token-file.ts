/** The tokens of HTTP servers: `mcp-tokens.json` in the data folder, readable only by the user. */
import { readFile } from 'node:fs/promises'
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import { draftMark } from '../../platform/system/draft-name.ts'

/** What is kept of one server. */
interface KeptSignIn {
  readonly client?: StoredOAuthClientInformation | undefined
  readonly tokens?: StoredOAuthTokens | undefined
}

export interface TokenFile {
  read(url: string): Promise<KeptSignIn>
  change(url: string, change: KeptSignIn): Promise<void>
}

/** A broken file counts as empty: the user signs in again. `replaceFile` makes it readable only by the user. */
export function createTokenFile(file: string): TokenFile {
  const lock = new KeyedLock()
  const readAll = async (): Promise<Record<string, KeptSignIn>> => {
    try {
      const raw: unknown = JSON.parse(await readFile(file, 'utf8'))
      return typeof raw === 'object' && raw !== null ? (raw as Record<string, KeptSignIn>) : {}
    } catch {
      return {}
    }
  }
  return {
    read: async (url) => (await readAll())[url] ?? {},
    change: (url, change) =>
      lock.withLock(file, async () => {
        const all = await readAll()
        const text = JSON.stringify({ ...all, [url]: { ...all[url], ...change } }, null, 2)
        await replaceFile(file, `${text}\n`, { durable: true, draft: `${file}.${draftMark()}` })
      }),
  }
}
