/**
 * The files of definitions, for whoever edits them. Only files of the user's and the project's agents
 * folders are ever written; nothing is overwritten that was not looked at, and what is thrown away can come
 * back.
 */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, link, mkdir, readFile, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import type { AgentSource, DefinitionText, LibraryEntry } from '../../../shared/agent-library.ts'
import { type Failure, fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import type { DefinitionFiles, DefinitionSource, FileSystem } from '../../runtime/ports.ts'
import { codeOf } from '../files/file-failure.ts'
import { versionOf } from '../files/file-stat.ts'
import { isBelow, readPlainFile } from '../files/plain-text.ts'
import { projectFolders, realOf } from './agent-folders.ts'
import { agentsFolderOf, leadsOut, newPlace, staysIn } from './definition-places.ts'

export interface DefinitionFilesOptions {
  readonly definitions: Pick<DefinitionSource, 'library'>
  readonly files: Pick<FileSystem, 'write' | 'stat'>
  readonly home: string
  /** Where what is thrown away lies. */
  readonly dataFolder: string
  readonly isTrusted: (folder: string) => boolean
}

/** Where a file in the trash came from: its agents folder, which must not lead out of `within` meanwhile. */
const trashedPlace = z.object({ file: z.string(), folder: z.string(), within: z.string().nullable() })
type TrashedPlace = z.infer<typeof trashedPlace>

/** What the port calls what can't be read; all else is `io`. */
const OPEN_FAILURES: Readonly<Record<string, string>> = {
  'too-large': 'too-large',
  'not-utf8': 'not-text',
  'no-file': 'not-text',
}

export function createDefinitionFiles(options: DefinitionFilesOptions): DefinitionFiles {
  const { definitions, files, home, isTrusted } = options
  const trash = join(options.dataFolder, 'trash', 'definitions')

  async function entryOf(folder: string, id: string): Promise<Result<LibraryEntry>> {
    const { entries } = await definitions.library(folder, { trusted: isTrusted(folder) })
    const entry = entries.find((each) => each.id === id)
    return entry === undefined ? fail(gone(id)) : ok(entry)
  }

  /** What a project's agents folder must lie in. Where the user's own lies is the user's to say. */
  async function withinOf(source: AgentSource, folder: string): Promise<string | null> {
    return source === 'project' ? (await projectFolders(folder, home)).root : null
  }

  async function writable(
    folder: string,
    id: string,
  ): Promise<Result<LibraryEntry & { readonly file: string }>> {
    const entry = await entryOf(folder, id)
    if (!entry.ok) return entry
    const { file, locked, name } = entry.value
    if (locked || file === null)
      return fail({
        type: 'locked',
        message: `${name} is not changed here: it comes from elsewhere. Duplicate it to change it.`,
      })
    return ok({ ...entry.value, file })
  }

  async function open(folder: string, id: string): Promise<Result<DefinitionText>> {
    const entry = await entryOf(folder, id)
    if (!entry.ok) return entry
    const { file, path } = entry.value
    if (file === null) return fail({ type: 'not-found', message: 'It came with a command, and has no file.' })
    return read(id, file, agentsFolderOf(file, path))
  }

  return {
    open,

    save: async (folder, { id, text, version }) => {
      const entry = await writable(folder, id)
      if (!entry.ok) return entry.failure.type === 'not-found' && version !== null ? fail(changed(id)) : entry
      const { file } = entry.value
      const there = await files.stat(file)
      if (!there.ok) return fail(changed(file))
      if (there.value.version !== version) return fail(changed(file))
      // A link is followed to what it names, as whoever reads it does, but not out of the agents folder.
      const real = await realOf(file)
      if (!isBelow(await realOf(agentsFolderOf(file, entry.value.path)), real)) return fail(leadsOut(file))
      const written = await files.write(real, text, { expected: there.value, real: true })
      if (!written.ok) return fail(written.failure.type === 'changed' ? changed(file) : written.failure)
      return ok({ id, text, version: await versionOf(file) })
    },

    create: async (folder, { source, path, text }) => {
      if (source === 'project' && !isTrusted(folder)) return fail(untrusted)
      const base = join(source === 'user' ? home : await realOf(folder), '.claude', 'agents')
      const place = await newPlace(base, await withinOf(source, folder), path)
      if (!place.ok) return place
      const written = await files.write(place.value, text, { expected: null })
      if (!written.ok) return fail(written.failure.type === 'changed' ? exists(place.value) : written.failure)
      return ok({ id: place.value, text, version: await versionOf(place.value) })
    },

    move: async (folder, id, path) => {
      const entry = await writable(folder, id)
      if (!entry.ok) return entry
      const { file } = entry.value
      const base = agentsFolderOf(file, entry.value.path)
      const place = await newPlace(base, null, path)
      if (!place.ok) return place
      const moved = await moveFile(file, place.value)
      return moved.ok ? read(place.value, place.value, base) : moved
    },

    trash: async (folder, id) => {
      const entry = await writable(folder, id)
      if (!entry.ok) return entry
      const { file } = entry.value
      const trashId = `${Date.now().toString(36)}-${randomBytes(6).toString('hex')}`
      const away = join(trash, trashId)
      try {
        await mkdir(away, { recursive: true })
        // First where it came from: what is in the trash can always be put back by hand.
        const place: TrashedPlace = {
          file,
          folder: agentsFolderOf(file, entry.value.path),
          within: await withinOf(entry.value.source, folder),
        }
        await writeFile(join(away, 'place.json'), `${JSON.stringify(place)}\n`)
        const moved = await moveFile(file, join(away, 'definition.md'))
        return moved.ok ? ok({ trashId }) : moved
      } catch (thrown) {
        return fail({ type: 'io', message: `${file} could not be thrown away: ${messageOf(thrown)}` })
      }
    },

    restore: async (trashId) => {
      const away = join(trash, trashId)
      if (!/^[a-z0-9]+-[0-9a-f]{12}$/.test(trashId)) return fail(notInTrash)
      const place = await placeOf(join(away, 'place.json'))
      if (place === null) return fail(notInTrash)
      const { file, folder, within } = place
      // What was a folder then may be a link now.
      const stays = within === null || (await staysIn(within, folder))
      if (!stays || !(await staysIn(folder, dirname(file)))) return fail(leadsOut(file))
      const moved = await moveFile(join(away, 'definition.md'), file)
      if (!moved.ok) return moved
      await rm(away, { recursive: true, force: true }).catch(() => {})
      return read(file, file, folder)
    },
  }
}

async function read(id: string, file: string, folder: string): Promise<Result<DefinitionText>> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = await versionOf(file)
    if (before === null) return fail(gone(file))
    const found = await readPlainFile(file, await realOf(folder))
    if (found.kind === 'unread')
      return fail({ type: OPEN_FAILURES[found.code] ?? 'io', message: `${file}: ${found.message}` })
    // Written to while it was read: once more, for a whole text.
    if ((await versionOf(file)) === before) return ok({ id, text: found.text, version: before })
  }
  return fail({ type: 'io', message: `${file} changes all the time. Try it again when it rests.` })
}

/** Never over a file that is there. */
async function moveFile(from: string, to: string): Promise<Result<void>> {
  try {
    await mkdir(dirname(to), { recursive: true })
    try {
      await link(from, to)
    } catch (thrown) {
      if (codeOf(thrown) === 'EEXIST' || codeOf(thrown) === 'ENOENT') throw thrown
      // Another disk, or one without links.
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

async function placeOf(file: string): Promise<TrashedPlace | null> {
  try {
    const read = trashedPlace.safeParse(JSON.parse(await readFile(file, 'utf8')))
    return read.success ? read.data : null
  } catch {
    return null
  }
}

const gone = (id: string): Failure => ({ type: 'not-found', message: `${id} is not there any more.` })
const exists = (path: string): Failure => ({
  type: 'exists',
  message: `There is a file ${path} already. Choose another name.`,
})
const changed = (path: string): Failure => ({
  type: 'changed',
  message: `${path} was changed meanwhile, so it was not overwritten.`,
})
const notInTrash: Failure = { type: 'not-found', message: 'It is not in the trash any more.' }
const untrusted: Failure = {
  type: 'denied',
  message: 'This folder is not trusted, so nothing is written in it. Trust it first.',
}
