/**
 * The files of definitions, for editing. Only files in the agents folders of the user and the project are written. A
 * save never overwrites a version that the editor has not read, and deleted files can be restored.
 */

import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, mkdir, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type {
  AgentSource,
  CatalogEntry,
  DefinitionText,
  NotUtf8,
  PendingDefinition,
} from '../../../shared/agent-definition/agent-catalog.ts'
import { type CommandHandler, handlersOf } from '../../../shared/ipc/handlers.ts'
import { type Failure, fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { isMcp, serverOf } from '../../../shared/tools/tool-entry.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import { fileVersionOf } from '../../platform/system/file-stat.ts'
import { isBelow, readPlainFile } from '../../platform/system/plain-text.ts'
import type { DefinitionFiles, DefinitionSource, SkillSource } from '../../runtime/ports/definitions.ts'
import type { FileSystem } from '../../runtime/ports/files.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import { agentsFolderOf, leadsOut, newLocation, projectFolders, realOf, staysIn } from './agent-folders.ts'
import type { DefinitionApprovals } from './definition-approvals.ts'
import type { DefinitionSourceOptions } from './definition-source.ts'
import {
  deleteTrashed,
  listTrash,
  locationOf,
  notInTrash,
  readTrashed,
  TRASHED_LOCATION,
  TRASHED_TEXT,
  TRASHED_UNSAVED,
  type TrashedLocation,
  trashedFolder,
} from './definition-trash.ts'
import type { PendingWrites } from './pending-writes.ts'
import { decodedFile } from './read-agent-folder.ts'

interface DefinitionFilesOptions {
  readonly definitions: Pick<DefinitionSource, 'catalog'>
  readonly files: Pick<FileSystem, 'write' | 'stat' | 'read'>
  readonly home: string
  /** The folder of deleted files. */
  readonly dataFolder: string
  readonly isTrusted: (folder: string) => boolean
  /** The definitions of external agents, which have no files. */
  readonly programs?: Pick<NonNullable<DefinitionSourceOptions['programs']>, 'definitions'>
  readonly approvals: Pick<DefinitionApprovals, 'approve' | 'approveAll' | 'pendingOf'>
  readonly writes: Pick<PendingWrites, 'add'>
  /** ms since the epoch. */
  readonly now: () => number
  /** A UUID. */
  readonly newKey: () => string
}

/** The port's failure for each reason why a file is unreadable; all others are `io`. */
const OPEN_FAILURES: Readonly<Record<string, string>> = {
  'too-large': 'too-large',
  'not-utf8': 'not-text',
  'no-file': 'not-text',
}

export function createDefinitionFiles(options: DefinitionFilesOptions): DefinitionFiles {
  const { definitions, files, home, isTrusted, approvals } = options
  const trash = join(options.dataFolder, 'trash', 'definitions')
  /** The bytes of converted files, by the file's path, with the version that replaced them. */
  const converted = new Map<string, { readonly version: string; readonly bytes: Uint8Array }>()

  async function entryOf(folder: string, id: string): Promise<Result<CatalogEntry>> {
    const { entries } = await definitions.catalog(folder, { trusted: isTrusted(folder) })
    const entry = entries.find((each) => each.id === id)
    return entry === undefined ? fail(gone(id)) : ok(entry)
  }

  /** The folder that must contain a project's agents folder. The user's own agents folder may be anywhere. */
  async function withinOf(source: AgentSource, folder: string): Promise<string | null> {
    return source === 'project' ? (await projectFolders(folder, home)).root : null
  }

  async function writable(
    folder: string,
    id: string,
  ): Promise<Result<CatalogEntry & { readonly file: string }>> {
    const entry = await entryOf(folder, id)
    if (!entry.ok) return entry
    const { file, locked, name } = entry.value
    if (locked || file === null)
      return fail({
        type: 'locked',
        message: `${name} is read-only here. Duplicate it to change it.`,
      })
    return ok({ ...entry.value, file })
  }

  async function open({ folder, id }: DefinitionPlace): Promise<Result<DefinitionText>> {
    const entry = await entryOf(folder, id)
    if (!entry.ok) return entry
    const { file, path, source } = entry.value
    const text = file === null && source === 'built-in' ? await programText(folder, path) : undefined
    if (text !== undefined) return ok({ id, text, version: null })
    if (file === null)
      return fail({
        type: 'not-found',
        message: 'This agent was defined on the command line and has no file.',
      })
    return read(id, file, agentsFolderOf(file, path))
  }

  async function programText(folder: string, path: string): Promise<string | undefined> {
    const { root } = isTrusted(folder) ? await projectFolders(folder, home) : { root: folder }
    return (await options.programs?.definitions(await realOf(root)))?.[path]
  }

  /** What the user writes here needs no approval of its own. */
  async function approveText(
    folder: string,
    { source, file, text }: { readonly source: AgentSource; readonly file: string; readonly text: string },
  ): Promise<Result<void>> {
    if (source !== 'project') return ok(undefined)
    const { root } = await projectFolders(folder, home)
    return approvals.approve(root, [{ file, text }])
  }

  async function pending({ folder, id }: DefinitionPlace): Promise<Result<PendingDefinition>> {
    const entry = await entryOf(folder, id)
    if (!entry.ok) return entry
    const { file, path, state } = entry.value
    if (state !== 'waits' || file === null) return fail(notWaiting(entry.value.name))
    const text = await read(id, file, agentsFolderOf(file, path))
    if (!text.ok) return text
    const { root } = await projectFolders(folder, home)
    return ok({ ...text.value, ...(await approvals.pendingOf(root, { file, text: text.value.text })) })
  }

  const definitionFiles: DefinitionFiles = {
    open,
    pending,

    approve: async ({ folder, id, version }) => {
      const found = await pending({ folder, id })
      if (!found.ok) return found
      if (found.value.version !== version) return fail(changed(id))
      return approveText(folder, { source: 'project', file: id, text: found.value.text })
    },

    approveAll: async (folder) => {
      const { entries } = await definitions.catalog(folder, { trusted: true })
      const { root } = await projectFolders(folder, home)
      const texts = await Promise.all(
        entries.map(async ({ id, source, file, path }) => {
          const text =
            source === 'project' && file !== null ? await read(id, file, agentsFolderOf(file, path)) : null
          return file !== null && text?.ok ? [{ file, text: text.value.text }] : []
        }),
      )
      return approvals.approveAll(root, texts.flat())
    },

    save: async ({ folder, id, text, version, converts }) => {
      const entry = await writable(folder, id)
      if (!entry.ok) return entry.failure.type === 'not-found' && version !== null ? fail(changed(id)) : entry
      const { file } = entry.value
      const there = await files.stat(file)
      const now = await read(id, file, agentsFolderOf(file, entry.value.path))
      if (!there.ok || !now.ok || now.value.version !== version) return fail(changed(file))
      const { notUtf8 } = now.value
      if (notUtf8 !== undefined && !converts) return fail(notConverted(file, notUtf8))
      // Links are followed, as on reading, but not out of the agents folder.
      const real = await realOf(file)
      if (!isBelow(await realOf(agentsFolderOf(file, entry.value.path)), real)) return fail(leadsOut(file))
      // Before the write, so that no reader finds the text unapproved.
      const approved = await approveText(folder, { source: entry.value.source, file, text })
      if (!approved.ok) return approved
      const former = notUtf8 === undefined ? null : await files.read(real)
      const written = await files.write(real, text, { expected: there.value, real: true })
      if (!written.ok) return fail(written.failure.type === 'changed' ? changed(file) : written.failure)
      if (former?.ok) converted.set(file, { version: versionOfText(text), bytes: former.value })
      return ok({ id, text, version: versionOfText(text) })
    },

    unconvert: async ({ folder, id, version }) => {
      const entry = await writable(folder, id)
      if (!entry.ok) return entry
      const { file, path } = entry.value
      const former = converted.get(file)
      if (former === undefined) return fail(gone(file))
      const there = await files.stat(file)
      const now = await read(id, file, agentsFolderOf(file, path))
      if (!there.ok || !now.ok || now.value.version !== version || former.version !== version)
        return fail(changed(file))
      const written = await files.write(await realOf(file), former.bytes, {
        expected: there.value,
        real: true,
      })
      if (!written.ok) return fail(written.failure.type === 'changed' ? changed(file) : written.failure)
      converted.delete(file)
      return ok(undefined)
    },

    create: async ({ folder, source, path, text }) => {
      if (source === 'project' && !isTrusted(folder)) return fail(untrusted)
      const base = join(source === 'user' ? home : await realOf(folder), '.claude', 'agents')
      const location = await newLocation(base, await withinOf(source, folder), path)
      if (!location.ok) return location
      if ((await files.stat(location.value)).ok) return fail(exists(location.value))
      const approved = await approveText(folder, { source, file: location.value, text })
      if (!approved.ok) return approved
      const written = await files.write(location.value, text, { expected: null })
      if (!written.ok)
        return fail(written.failure.type === 'changed' ? exists(location.value) : written.failure)
      return ok({ id: location.value, text, version: versionOfText(text) })
    },

    move: async ({ folder, id, path }) => {
      const entry = await writable(folder, id)
      if (!entry.ok) return entry
      const { file } = entry.value
      const base = agentsFolderOf(file, entry.value.path)
      const location = await newLocation(base, null, path)
      if (!location.ok) return location
      const moved = await moveFile(file, location.value)
      if (!moved.ok) return moved
      const text = await read(location.value, location.value, base)
      // A new name does not approve what waits.
      if (!text.ok || entry.value.state === 'waits') return text
      const { source } = entry.value
      const approved = await approveText(folder, { source, file: location.value, text: text.value.text })
      return approved.ok ? text : approved
    },

    trash: async ({ folder, id, unsaved }) => {
      const entry = await writable(folder, id)
      if (!entry.ok) return entry
      const { file } = entry.value
      const trashId = `${options.now().toString(36)}-${options.newKey().slice(-12)}`
      const away = join(trash, trashId)
      try {
        await mkdir(away, { recursive: true })
        // Write the origin first: then a file in the trash can always be restored by hand.
        const location: TrashedLocation = {
          file,
          folder: agentsFolderOf(file, entry.value.path),
          within: await withinOf(entry.value.source, folder),
        }
        await writeFile(join(away, TRASHED_LOCATION), `${JSON.stringify(location)}\n`)
        if (unsaved !== null) await writeFile(join(away, TRASHED_UNSAVED), unsaved, { flush: true })
        const moved = await moveFile(file, join(away, TRASHED_TEXT))
        return moved.ok ? ok({ trashId }) : moved
      } catch (thrown) {
        return fail({ type: 'io', message: `${file} could not be deleted: ${messageOf(thrown)}` })
      }
    },

    restore: async ({ trashId }) => {
      const away = trashedFolder(trash, trashId)
      const location = away === null ? null : await locationOf(away)
      if (away === null || location === null) return fail(notInTrash)
      const { file, folder, within } = location
      // The folder may have been replaced by a link.
      const stays = within === null || (await staysIn(within, folder))
      if (!stays || !(await staysIn(folder, dirname(file)))) return fail(leadsOut(file))
      const moved = await moveFile(join(away, TRASHED_TEXT), file)
      if (!moved.ok) return moved
      const kept = await readPlainFile(join(away, TRASHED_UNSAVED), await realOf(away))
      await rm(away, { recursive: true, force: true }).catch(() => {})
      const restored = await read(file, file, folder)
      return restored.ok
        ? ok({ ...restored.value, unsaved: kept.kind === 'text' ? kept.text : null })
        : restored
    },

    listTrash: () => listTrash(trash),
    readTrashed: ({ trashId }) => readTrashed(trash, trashId),
    deleteTrashed: ({ trashIds }) => deleteTrashed(trash, trashIds),
  }
  const { writes } = options
  return {
    ...definitionFiles,
    approve: (wanted) => writes.add(definitionFiles.approve(wanted)),
    approveAll: (folder) => writes.add(definitionFiles.approveAll(folder)),
    save: (wanted) => writes.add(definitionFiles.save(wanted)),
    unconvert: (wanted) => writes.add(definitionFiles.unconvert(wanted)),
    create: (wanted) => writes.add(definitionFiles.create(wanted)),
    move: (wanted) => writes.add(definitionFiles.move(wanted)),
    trash: (wanted) => writes.add(definitionFiles.trash(wanted)),
    restore: (wanted) => writes.add(definitionFiles.restore(wanted)),
  }
}

interface DefinitionPlace {
  readonly folder: string
  readonly id: string
}

/** Answers the window: files, and the catalog of a folder with the tools and skills that a definition may name. */
export function definitionHandlers({
  definitionFiles,
  definitions,
  skills,
  toolsIn,
  isTrusted,
}: {
  readonly definitionFiles: DefinitionFiles
  readonly definitions: Pick<DefinitionSource, 'catalog'>
  readonly skills: Pick<SkillSource, 'list'>
  readonly toolsIn: Runtime['toolsIn']
  readonly isTrusted: (folder: string) => boolean
}) {
  const catalog: CommandHandler<'definition.catalog'> = async ({ folder }) => {
    const trust = { trusted: isTrusted(folder) }
    const [found, known, ofFolder] = await Promise.all([
      definitions.catalog(folder, trust),
      skills.list(folder, trust),
      toolsIn(folder),
    ])
    const servers = [...new Set(ofFolder.tools.filter(isMcp).map(serverOf))]
    return ok({ ...found, ...ofFolder, skills: known, servers })
  }
  return {
    'definition.catalog': catalog,
    ...handlersOf(
      'definition',
      definitionFiles,
      ...(['open', 'pending', 'approve', 'save', 'unconvert', 'create', 'move', 'trash', 'restore'] as const),
      ...(['listTrash', 'readTrashed', 'deleteTrashed'] as const),
    ),
  }
}

/** Of the content alone: a change of the file's mode or time is none of the text. */
const versionOfText = (text: string): string => createHash('sha256').update(text).digest('hex')

async function read(id: string, file: string, folder: string): Promise<Result<DefinitionText>> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = await fileVersionOf(file)
    if (before === null) return fail(gone(file))
    const found = await readPlainFile(file, await realOf(folder))
    const decoded = decodedFile(found)
    if (found.kind === 'unread' && decoded === null)
      return fail({ type: OPEN_FAILURES[found.code] ?? 'io', message: `${file}: ${found.message}` })
    // The file changed during the read: read again for a complete text.
    if ((await fileVersionOf(file)) !== before) continue
    if (found.kind === 'text' && decoded === null)
      return ok({ id, text: found.text, version: versionOfText(found.text) })
    // Not the version of the text: the same text as UTF-8 is another file.
    if (decoded !== null)
      return ok({ id, ...decoded, version: versionOfText(`\0${decoded.notUtf8.encoding}${decoded.text}`) })
  }
  return fail({ type: 'io', message: `${file} keeps changing. Try again later.` })
}

/** Never replaces an existing file. */
async function moveFile(from: string, to: string): Promise<Result<void>> {
  try {
    await mkdir(dirname(to), { recursive: true })
    try {
      await link(from, to)
    } catch (thrown) {
      if (codeOf(thrown) === 'EEXIST' || codeOf(thrown) === 'ENOENT') throw thrown
      // Another file system, or one without hard links.
      await copyFile(from, to, constants.COPYFILE_EXCL)
    }
    await unlink(from)
    return ok(undefined)
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return fail(exists(to))
    if (codeOf(thrown) === 'ENOENT') return fail(gone(from))
    return fail({ type: 'io', message: `${from} could not be moved: ${messageOf(thrown)}` })
  }
}

const gone = (id: string): Failure => ({ type: 'not-found', message: `${id} not found.` })
const exists = (path: string): Failure => ({
  type: 'exists',
  message: `${path} already exists. Choose another name.`,
})
const changed = (path: string): Failure => ({
  type: 'changed',
  message: `${path} was changed meanwhile, so it was not overwritten.`,
})
const notConverted = (path: string, { encoding }: NotUtf8): Failure => ({
  type: 'not-utf8',
  message: `${path} is ${encoding}. Convert it to UTF-8 to save it.`,
})
const notWaiting = (name: string): Failure => ({
  type: 'not-waiting',
  message: `${name} does not wait for your approval.`,
})
const untrusted: Failure = {
  type: 'denied',
  message: 'This folder is not trusted, so Troupe does not write in it. Trust the folder first.',
}
