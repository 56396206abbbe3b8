/**
 * Which version of each text that agents are told the user has seen: instructions, skills, commands, notes and agents of
 * a project. A text counts as seen if it was there when agents were first told of the project's texts, if it was written
 * through Troupe, or if the user approved it. Otherwise agents are told the version that was seen last.
 */
import { createHash } from 'node:crypto'
import { lstatSync, realpathSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { WaitingText } from '../../../shared/kernel/waiting-text.ts'
import { ownWorktreeAround } from '../system/folder-trust.ts'
import { machineNow } from '../system/machine-time.ts'
import { isBelow } from '../system/plain-text.ts'
import type { Approvable, Approvals } from './approvals.ts'

interface TextFile {
  /** Absolute. */
  readonly path: string
  /** The whole text. */
  readonly text: string
}

export interface SeenTexts {
  /** Notes when the texts of a project are first looked at. `root`: its top folder, or that of a worktree. */
  begin(root: string): Promise<void>
  /** What agents are told instead of the text: the same, the one that was seen last, or null: nothing. */
  told(root: string, file: TextFile): Promise<string | null>
  /** Whether the user has seen this version. */
  has(root: string, file: TextFile): Promise<boolean>
  /** The text was written through Troupe, which asked for it or showed it. */
  saw(file: TextFile): Promise<void>
  /** Another number after each text that counts from now on. */
  version(): number
  /** The texts that were asked for and wait for the user. */
  waiting(root: string): Promise<readonly WaitingText[]>
  /** Approves a version that waits. Fails with `changed` if the file has another text now, and with `io`. */
  approve(root: string, text: Pick<WaitingText, 'path' | 'digest'>): Promise<Result<void>>
}

interface SeenTextsOptions {
  readonly approvals: Approvals
  readonly dataFolder: string
  /** Whether a folder is trusted only because one around it is. What is in it at first was never asked about. */
  readonly isInherited: (folder: string) => boolean
}

/** Characters of a former text that are kept. Instructions are not longer. */
const LONGEST_KEPT = 64 * 1024

export function createSeenTexts({ approvals, dataFolder, isInherited }: SeenTextsOptions): SeenTexts {
  /** When the texts of a project were first looked at, ms since the epoch. */
  const begun = new Map<string, Promise<number>>()
  /** By project and name. */
  const waits = new Map<string, Map<string, WaitingText>>()
  let version = 0

  /** The project that a folder belongs to: a worktree belongs to the checkout that it came from. */
  const placeOf = (root: string, path: string) => {
    const real = realOf(root)
    const name = relative(real, join(realOf(dirname(path)), basename(path)))
      .split(sep)
      .join('/')
    return { project: ownWorktreeAround(real, dataFolder)?.from ?? real, name }
  }

  const sinceOf = (project: string): Promise<number> => {
    const known = begun.get(project) ?? beginning(project)
    begun.set(project, known)
    return known
  }
  const beginning = async (project: string): Promise<number> => {
    const found = await approvals.of(project, BEGINNING)
    if (found.state === 'changed') return Number(found.former)
    // Times of files have fractions.
    const now = isInherited(project) ? 0 : machineNow() + 1
    await approvals.decide(project, { ...BEGINNING, definition: now }, 'approved')
    return now
  }

  const seen: SeenTexts = {
    async begin(root) {
      await sinceOf(placeOf(root, root).project).catch(() => 0)
    },
    async told(root, file) {
      const { project, name } = placeOf(root, file.path)
      const waiting = waits.get(project) ?? new Map<string, WaitingText>()
      waits.set(project, waiting)
      const thing = approvableText(name, file.text)
      const [since, found] = await Promise.all([sinceOf(project), approvals.of(project, thing)])
      const isSeen = found.state === 'approved' || (found.state === 'new' && changedAt(file.path) <= since)
      if (found.state === 'new' && isSeen) await approvals.decide(project, thing, 'approved')
      if (isSeen) {
        waiting.delete(name)
        return file.text
      }
      // An empty file says nothing, such as one that stands for a missing file while commands run.
      if (found.state === 'new' && file.text === '') {
        waiting.delete(name)
        return null
      }
      const former = found.state === 'changed' ? formerText(found.former) : null
      waiting.set(name, { path: file.path, name, former, text: file.text, digest: digestOf(file.text) })
      return former
    },
    async has(root, file) {
      const { project, name } = placeOf(root, file.path)
      return (await approvals.of(project, approvableText(name, file.text))).state === 'approved'
    },
    async saw({ path, text }) {
      const real = realOf(dirname(path))
      const worktree = ownWorktreeAround(real, dataFolder)
      const projects = worktree === null ? [...begun.keys()] : [worktree.path]
      const roots = projects.filter((root) => root === real || isBelow(root, real))
      for (const root of roots) {
        const { project, name } = placeOf(root, path)
        const thing = approvableText(name, text)
        const { state } = await approvals.of(project, thing)
        if (state !== 'changed' && (state !== 'new' || !TOLD.test(name))) continue
        await approvals.decide(project, thing, 'approved')
        version++
      }
    },
    version: () => version,
    async waiting(root) {
      const found = waits.get(placeOf(root, root).project)
      for (const [name, { path, digest }] of found ?? []) {
        const text = await readFile(path, 'utf8').catch(() => null)
        if (text === null) found?.delete(name)
        else if (digestOf(text) !== digest) await seen.told(root, { path, text })
      }
      return [...(found?.values() ?? [])].sort((one, two) => (one.name < two.name ? -1 : 1))
    },
    async approve(root, { path, digest }) {
      const { project, name } = placeOf(root, path)
      const found = (await seen.waiting(root)).find((each) => each.path === path)
      if (found === undefined) return ok(undefined)
      if (found.digest !== digest)
        return fail({ type: 'changed', message: `${found.name} has changed again. Look at it once more.` })
      const approved = await approvals.decide(project, approvableText(name, found.text), 'approved')
      if (approved.ok) waits.get(project)?.delete(name)
      version++
      return approved
    },
  }
  return seen
}

/** Its definition is no time, so that the approval tells the one that was noted. */
const BEGINNING: Approvable = { kind: 'text', name: '', definition: null }

/** Names of files that agents are told from. Others, which these import, are known once they were read. */
const TOLD = /(^|\/)(claude|agents|memory)\.md$|(^|\/)\.claude\//i

const approvableText = (name: string, text: string): Approvable => ({
  kind: 'text',
  name,
  definition: { digest: digestOf(text), text: text.slice(0, LONGEST_KEPT) },
})

const formerText = (definition: unknown): string | null =>
  typeof definition === 'object' && definition !== null && 'text' in definition
    ? String(definition.text)
    : null

/** Readers differ in whether they keep the byte order mark. */
const digestOf = (text: string): string =>
  createHash('sha256')
    .update(text.replace(/^\uFEFF/, ''))
    .digest('hex')
    .slice(0, 32)

/** When the file or the link to it last changed, which no program without privileges can set; ms since the epoch. */
function changedAt(path: string): number {
  try {
    return Math.max(lstatSync(path).ctimeMs, statSync(path).ctimeMs)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}
