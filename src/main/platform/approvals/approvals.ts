/**
 * The user's approvals of things that a folder brings: MCP servers, hooks, plugins, agents, texts. An approval holds for
 * one definition; a changed definition needs a new one. Kept in `projects/<hash of the folder>/approvals.json` in the
 * data folder, where a repository can neither bring nor read them.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { replaceFile } from '../system/atomic-file.ts'
import { draftMark } from '../system/draft-name.ts'
import { codeOf } from '../system/error-code.ts'
import { fileVersion } from '../system/file-version.ts'
import { projectFolder } from '../system/project-folder.ts'

type ApprovalKind =
  | 'mcp-server'
  | 'hook'
  | 'plugin'
  | 'agent'
  | 'agents-folder'
  | 'settings'
  | 'text'
  | 'environment'

/** One thing to approve. `definition` is JSON; its digest identifies what the user has seen. */
export interface Approvable {
  readonly kind: ApprovalKind
  /** Unique among its kind in the folder. */
  readonly name: string
  readonly definition: unknown
}

export type Approval =
  | { readonly state: 'new' }
  | { readonly state: 'approved' }
  /** The user turned it off. */
  | { readonly state: 'refused' }
  /** `former`: the definition that was approved. */
  | { readonly state: 'changed'; readonly former: unknown }

type Decision = 'approved' | 'refused'

export interface Approvals {
  of(folder: string, thing: Approvable): Promise<Approval>
  /** The same for several things, in their order. */
  ofAll(folder: string, things: readonly Approvable[]): Promise<readonly Approval[]>
  /** Fails with `io`. */
  decide(folder: string, thing: Approvable, decision: Decision): Promise<Result<void>>
  /** Decides about several things at once. Fails with `io`. */
  decideAll(folder: string, things: readonly Approvable[], decision: Decision): Promise<Result<void>>
}

const entry = z.object({
  decision: z.enum(['approved', 'refused']),
  digest: z.string(),
  definition: z.unknown(),
  /** Digests of what was approved before, of a text: it changes back and forth with the branch. */
  earlier: z.array(z.string()).optional(),
})
const fileSchema = z.looseObject({ entries: z.record(z.string(), entry).catch({}) })
type ApprovalsFile = z.infer<typeof fileSchema>

/** Versions of one text that are remembered. */
const MOST_EARLIER = 50

/** @param options `name`: of the file, for approvals that are kept apart */
export function createApprovals(options: { readonly dataFolder: string; readonly name?: string }): Approvals {
  const lock = new KeyedLock()
  const read = cachedReader()
  const fileOf = (folder: string) => {
    const { real, path } = projectFolder(options.dataFolder, folder)
    return { real, file: join(path, options.name ?? 'approvals.json') }
  }
  const approvals: Approvals = {
    of: async (folder, thing) => approvalIn(await read(fileOf(folder).file), thing),
    async ofAll(folder, things) {
      const content = await read(fileOf(folder).file)
      return things.map((thing) => approvalIn(content, thing))
    },
    decide: (folder, thing, decision) => approvals.decideAll(folder, [thing], decision),
    decideAll: (folder, things, decision) => {
      const { real, file } = fileOf(folder)
      return lock.withLock(file, async () => {
        try {
          const content = await read(file)
          const decided = things.map((thing) => [
            keyOf(thing),
            {
              ...{ decision, digest: definitionDigest(thing.definition), definition: thing.definition },
              ...(thing.kind === 'text' && { earlier: earlierOf(content.entries[keyOf(thing)]) }),
            },
          ])
          const entries = { ...content.entries, ...Object.fromEntries(decided) }
          const text = JSON.stringify({ folder: real, ...content, entries }, null, 2)
          await replaceFile(file, `${text}\n`, { durable: true, draft: `${file}.${draftMark()}` })
          return ok(undefined)
        } catch (thrown) {
          const message = `${file} could not be written: ${messageOf(thrown)}`
          return fail({ type: 'io', message, cause: thrown })
        }
      })
    },
  }
  return approvals
}

function approvalIn({ entries }: ApprovalsFile, thing: Approvable): Approval {
  const found = entries[keyOf(thing)]
  if (found === undefined) return { state: 'new' }
  const digest = definitionDigest(thing.definition)
  if (found.digest === digest) return { state: found.decision }
  if (found.earlier?.includes(digest)) return { state: 'approved' }
  return found.decision === 'approved' ? { state: 'changed', former: found.definition } : { state: 'new' }
}

const earlierOf = (former: z.infer<typeof entry> | undefined): readonly string[] =>
  former === undefined ? [] : [...new Set([former.digest, ...(former.earlier ?? [])])].slice(0, MOST_EARLIER)

/** The digest of a definition, regardless of the order of its keys. */
export function definitionDigest(definition: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(definition)))
    .digest('hex')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]))
}

const keyOf = ({ kind, name }: Approvable): string => `${kind}:${name}`

/** Reads a file only if it changed. A broken file approves nothing, and is replaced by the next decision. */
function cachedReader(): (file: string) => Promise<ApprovalsFile> {
  const known = new Map<string, { readonly version: string; readonly content: ApprovalsFile }>()
  return async (file) => {
    const version = fileVersion(file)
    const before = known.get(file)
    if (before?.version === version) return before.content
    const content = await parsed(file)
    known.set(file, { version, content })
    return content
  }
}

async function parsed(file: string): Promise<ApprovalsFile> {
  try {
    return fileSchema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || thrown instanceof SyntaxError || thrown instanceof z.ZodError)
      return { entries: {} }
    throw thrown
  }
}
