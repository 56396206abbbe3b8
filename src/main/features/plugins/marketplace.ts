/** A marketplace: `.claude-plugin/marketplace.json`, which lists plugins and where they are. */
import { join } from 'node:path'
import { z } from 'zod'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { parseJson } from '../../platform/json/json-text.ts'
import { readPlainFile } from '../../platform/system/plain-text.ts'

/** Where a plugin is. */
export type PluginPlace =
  /** In the marketplace. */
  | { readonly kind: 'folder'; readonly path: string }
  /** `what`: a commit, a branch or a tag; null: the newest commit. `path`: the folder in the repository. */
  | { readonly kind: 'repository'; readonly url: string; readonly what: string | null; readonly path: string }
  | {
      readonly kind: 'npm'
      readonly package: string
      readonly version: string | null
      readonly registry: string | null
    }

export interface MarketplaceEntry {
  readonly name: string
  readonly place: PluginPlace
  /** The entry as written: it may name parts of the plugin. */
  readonly fields: Readonly<Record<string, unknown>>
}

export interface Marketplace {
  readonly entries: readonly MarketplaceEntry[]
  /** Sentences about entries that can't be used, by their names. */
  readonly unusable: ReadonlyMap<string, string>
  /** New names of plugins. */
  readonly renames: ReadonlyMap<string, string>
}

const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'a commit has 40 characters')
const branch = z.string().regex(/^(?!-)[\w./@+-]+$/, 'not the name of a branch or a tag')
const address = z.string().min(1)
const inside = z
  .string()
  .refine((path) => !path.startsWith('/') && !path.split(/[/\\]/).includes('..'), 'a path inside, please')
const version = { ref: branch.optional(), sha: commit.optional(), path: inside.optional() }

const place = z
  .union([
    z.string().transform((path) => ({ source: 'path' as const, path })),
    z.discriminatedUnion('source', [
      z.object({ source: z.literal('github'), repo: z.string().regex(/^[\w.-]+\/[\w.-]+$/), ...version }),
      z.object({ source: z.literal('url'), url: address, ...version }),
      z.object({ source: z.literal('git'), url: address, ...version }),
      z.object({ source: z.literal('git-subdir'), url: address, ...version, path: inside }),
      z.object({
        source: z.literal('npm'),
        package: z.string().regex(/^(@[\w.~-]+\/)?[\w~][\w.~-]*$/),
        version: z
          .string()
          .regex(/^[\w.^~*<>=| -]+$/)
          .optional(),
        registry: z.url({ protocol: /^https?$/ }).optional(),
      }),
      z.object({ source: z.literal('path'), path: z.string() }),
      z.object({ source: z.literal('directory'), path: z.string() }),
    ]),
  ])
  .transform((source): PluginPlace => {
    switch (source.source) {
      case 'path':
      case 'directory':
        return { kind: 'folder', path: source.path }
      case 'npm':
        return {
          kind: 'npm',
          package: source.package,
          version: source.version ?? null,
          registry: source.registry ?? null,
        }
      case 'github':
        return { kind: 'repository', url: ofGithub(source.repo), ...versionIn(source) }
      default:
        return { kind: 'repository', url: repositoryOf(source.url), ...versionIn(source) }
    }
  })

const versionIn = ({
  ref,
  sha,
  path = '',
}: {
  ref?: string | undefined
  sha?: string | undefined
  path?: string | undefined
}) => ({
  what: sha ?? ref ?? null,
  path,
})

const ofGithub = (repository: string): string => `https://github.com/${repository}.git`

/** `OWNER/REPO` is short for a repository of GitHub. */
export const repositoryOf = (given: string): string =>
  /^[\w.-]+\/[\w.-]+$/.test(given) && !/^\.+\//.test(given) ? ofGithub(given.replace(/\.git$/, '')) : given

const named = z.looseObject({ name: z.string().min(1), source: z.unknown().optional() })
const listing = z.looseObject({
  plugins: z.array(z.unknown()),
  metadata: z.looseObject({ pluginRoot: z.string().optional() }).optional().catch(undefined),
  renames: z.record(z.string(), z.string()).optional().catch(undefined),
})

/** Null: the folder is not a marketplace. Fails with `plugin` if its list can't be read; a wrong entry costs only itself. */
export async function readMarketplace(root: string): Promise<Result<Marketplace> | null> {
  const file = join(root, '.claude-plugin', 'marketplace.json')
  const read = await readPlainFile(file, root)
  if (read.kind === 'unread') return null
  const json = parseJson(read.text)
  const list = json.ok ? listing.safeParse(json.value) : null
  if (!json.ok || !list?.success)
    return fail({
      type: 'plugin',
      message: `The marketplace.json is not valid: ${sentence(json.ok ? 'it has no list "plugins"' : json.failure.message)}`,
    })
  const entries: MarketplaceEntry[] = []
  const unusable = new Map<string, string>()
  const base = list.data.metadata?.pluginRoot
  for (const [index, written] of list.data.plugins.entries()) {
    const entry = named.safeParse(written)
    if (!entry.success) {
      unusable.set(`entry ${index + 1}`, 'it has no name')
      continue
    }
    const found = place.safeParse(entry.data.source)
    if (!found.success) {
      unusable.set(entry.data.name, reasonOf(entry.data.source, found.error))
      continue
    }
    const isBare = found.data.kind === 'folder' && !/^\.{0,2}\//.test(found.data.path)
    const own =
      found.data.kind === 'folder' && base !== undefined && isBare
        ? { ...found.data, path: `${base}/${found.data.path}` }
        : found.data
    entries.push({ name: entry.data.name, place: own, fields: entry.data })
  }
  return ok({ entries, unusable, renames: new Map(Object.entries(list.data.renames ?? {})) })
}

function reasonOf(source: unknown, error: z.ZodError): string {
  const kind =
    typeof source === 'object' && source !== null && 'source' in source ? String(source.source) : null
  const known = ['github', 'url', 'git', 'git-subdir', 'npm', 'path', 'directory']
  if (kind !== null && !known.includes(kind)) return `Troupe does not know sources of the kind ${kind}`
  const [first] = error.issues.flatMap((issue) =>
    issue.code === 'invalid_union' ? issue.errors.flat() : issue,
  )
  return `its source is not valid${first === undefined || first.path.length === 0 ? '' : ` at ${first.path.join('.')}`}`
}
