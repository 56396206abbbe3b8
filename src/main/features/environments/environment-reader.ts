/** What is known of the environments of worktrees: their commands, states and addresses. Nothing begins here. */
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { EnvironmentKey } from '../../../shared/environments/contract.ts'
import { hasCommands } from '../../../shared/environments/environment.ts'
import {
  type EnvironmentsSnapshot,
  type FolderCommands,
  portOf,
  type WorktreeEnvironment,
} from '../../../shared/environments/environments.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { WorktreeLocation } from '../../../shared/worktrees/worktree.ts'
import type { WorktreeRecord } from '../worktrees/worktree-record.ts'
import { logSize } from './environment-log.ts'
import type { EnvironmentRecords } from './environment-records.ts'
import type { FolderCommandsReader } from './folder-commands.ts'
import type { Images, PreparedImage } from './images.ts'
import type { PortBlocks } from './port-blocks.ts'

export interface EnvironmentReaderOptions {
  readonly commands: FolderCommandsReader
  readonly records: EnvironmentRecords
  readonly ports: PortBlocks
  readonly images: Images
  readonly worktrees: {
    /** Those of the folder's repository. Fails where there is none. */
    of(folder: string): Promise<Result<readonly WorktreeRecord[]>>
    /** Null: there is no worktree. */
    at(path: string): Promise<WorktreeRecord | null>
    environment(location: WorktreeLocation): Readonly<Record<string, string>>
  }
  readonly overlapsOf: (worktrees: readonly WorktreeRecord[]) => EnvironmentsSnapshot['overlaps']
  readonly isTrusted: (folder: string) => boolean
}

export function createEnvironmentReader(options: EnvironmentReaderOptions) {
  const { commands, records, ports, worktrees } = options

  /** The user's checkout behind a worktree, which may have been made from another worktree. */
  async function projectOf({ from, commonFolder }: WorktreeRecord): Promise<string> {
    return basename(commonFolder) === '.git' ? dirname(commonFolder) : from
  }

  async function find({ folder, id }: EnvironmentKey): Promise<Result<WorktreeRecord>> {
    const found = await worktrees.of(folder)
    if (!found.ok) return found
    const record = found.value.find((each) => each.id === id && each.state === 'there')
    return record === undefined
      ? fail({ type: 'not-found', message: `There is no worktree ${id} any more.` })
      : ok(record)
  }

  /** Its commands, if they may run. Fails with `none`, `waiting`, `not-found` or `not-trusted`. */
  async function usable(record: WorktreeRecord): Promise<Result<FolderCommands>> {
    const project = await projectOf(record)
    if (!options.isTrusted(project)) return fail(notTrusted(project))
    if (!existsSync(record.path))
      return fail({ type: 'not-found', message: `The folder ${record.path} is gone.` })
    const found = await commands.read(project)
    switch (found.approval.state) {
      case 'approved':
        return ok(found)
      case 'none':
        return fail({ type: 'none', message: NO_COMMANDS })
      case 'invalid':
        return fail({ type: 'invalid', message: found.problems[0] ?? NO_COMMANDS })
      case 'refused':
        return fail({
          type: 'waiting',
          message: 'You refused the commands of this folder. Approve them first.',
        })
      default:
        return fail({ type: 'waiting', message: 'The commands of this folder wait for your approval.' })
    }
  }

  async function rowOf(record: WorktreeRecord, found: FolderCommands | null): Promise<WorktreeEnvironment> {
    const { id, path, branch, owner } = record
    const state = await records.stateOf(path)
    const base = state.base ?? ports.of(path)
    const run = found?.commands.run ?? []
    return {
      ...{ id, path, branch, task: owner.task, agentId: owner.agentId },
      ...{ conversationId: owner.conversationId, color: owner.color },
      isThere: existsSync(path),
      state: { ...state, base },
      ports:
        base === null
          ? []
          : run.map(({ name }) => {
              const port = portOf(run, name, base)
              return { name, port, address: `http://localhost:${port}` }
            }),
      logSize: await logSize(records.folderOf(path)),
    }
  }

  /** Its commands and its state, whatever they are. Null: no worktree of Troupe, or of a folder that is not trusted. */
  async function stateOf(location: Pick<WorktreeLocation, 'path'>) {
    const record = await worktrees.at(location.path)
    if (record === null) return null
    const project = await projectOf(record)
    if (!options.isTrusted(project)) return null
    const found = await commands.read(project)
    return { commands: found, state: await records.stateOf(record.path) }
  }

  /** As `stateOf`; null also where the folder has no commands. */
  async function withCommands(location: Pick<WorktreeLocation, 'path'>) {
    const found = await stateOf(location)
    return found === null ||
      (found.commands.approval.state !== 'invalid' && !hasCommands(found.commands.commands))
      ? null
      : found
  }

  async function imageOf(path: string): Promise<Result<PreparedImage | null>> {
    // Most folders are no worktrees of an environment; they cost one look.
    if (!existsSync(records.folderOf(path))) return ok(null)
    const { image } = await records.stateOf(path)
    if (image === null) return ok(null)
    if (image.id === null) return fail(imageNotReady)
    const found = options.images.read(image.id)
    return found === null ? fail(imageGone) : ok(found)
  }

  async function snapshot(folder: string): Promise<EnvironmentsSnapshot> {
    const empty = { folder, commands: null, worktrees: [], overlaps: [] }
    if (!options.isTrusted(folder)) return { ...empty, problem: notTrusted(folder).message }
    const listed = await worktrees.of(folder)
    if (!listed.ok) return { ...empty, problem: listed.failure.message }
    const there = listed.value.filter(({ state }) => state === 'there')
    const [first] = there
    const project = first === undefined ? folder : await projectOf(first)
    const found = options.isTrusted(project) ? await commands.read(project) : null
    return {
      folder,
      commands: found,
      worktrees: await Promise.all(there.map((record) => rowOf(record, found))),
      overlaps: options.overlapsOf(there),
      problem: null,
    }
  }

  return { projectOf, find, usable, stateOf, withCommands, imageOf, snapshot }
}

const NO_COMMANDS = 'This folder has no commands for worktrees. Write them into .troupe/environment.yaml.'

const imageNotReady = {
  type: 'sandbox',
  message:
    'The image that commands run in here is not ready, so the command was not run. Wait for the set-up of the worktree; the user can skip it to work without the image.',
}

const imageGone = {
  type: 'sandbox',
  message:
    'The files of the image that commands run in here are gone, so the command was not run. The user can run the set-up of the worktree again in Environments.',
}

export const notTrusted = (folder: string) => ({
  type: 'not-trusted',
  message: `Troupe runs nothing of ${folder}, because the folder is not trusted. Trust the folder first.`,
})
