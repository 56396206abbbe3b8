/**
 * What there is of the user's setup, what of it counts, and why the rest does not. Imports servers and rules of other
 * programs: shows what would be written, writes it, and takes it back.
 */

import { createHash } from 'node:crypto'
import { mkdir, readFile, realpath, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { Setup, SetupImport, SetupImports, SetupItem } from '../../../shared/setup/setup.ts'
import { exists } from '../../platform/system/exists.ts'
import { isBelow } from '../../platform/system/plain-text.ts'
import { realPathOf } from '../../platform/system/real-path.ts'
import { importNotes, type OtherFile, otherFiles, otherItems, serverNoteOf } from './other-items.ts'
import type { OtherRule } from './other-rules.ts'
import { hookItems, pluginItems, serverItems } from './program-items.ts'
import { settingsItems } from './settings-items.ts'
import { itemOf, notUsed, type SetupParts, shownSetupPath, stateFor } from './setup-item.ts'
import { agentItems, commandItems, memoryItems, skillItems, styleItems } from './text-items.ts'

/** @param parts with `saw`, which is called with each text that was written */
export function createSetup(
  parts: SetupParts & { readonly saw: Parameters<typeof createImports>[1] },
): Setup {
  return {
    async report(folder) {
      const found = await Promise.all([
        settingsItems(folder, parts),
        memoryItems(folder, parts),
        agentItems(folder, parts),
        skillItems(folder, parts),
        commandItems(folder, parts),
        styleItems(folder, parts),
        hookItems(folder, parts),
        serverItems(folder, parts),
        pluginItems(parts),
        otherItems(folder, parts),
        unreadItems(folder, parts),
        variableItems(parts),
      ])
      return { folder, trusted: parts.isTrusted(folder), items: found.flat() }
    },
    imports: createImports(parts, parts.saw),
  }
}

/** Answers the window. Each change is answered with a new report. */
export function setupHandlers({ report, imports }: Setup): HandlersOf<'setup'> {
  const reported = async (folder: string, done: Result<unknown>) =>
    done.ok ? ok(await report(folder)) : done
  return {
    'setup.report': async ({ folder }) => ok(await report(folder)),
    'setup.preview': ({ folder, file }) => imports.preview(folder, file),
    'setup.import': async ({ folder, file, digest }) =>
      reported(folder, await imports.write(folder, file, digest)),
    'setup.undoImport': async ({ folder, file }) => reported(folder, await imports.undo(folder, file)),
  }
}

/** Files of Claude Code that Troupe has no use for. */
const UNREAD = [
  ['keybindings.json', 'Keybindings', 'Settings › Keys imports what Troupe has too.'],
  ['statusline.sh', 'Status line', 'It runs if "statusLine" of a settings file names it.'],
  ['themes', 'Themes', 'Troupe has themes of its own.'],
  ['workflows', 'Workflows', 'Troupe runs none.'],
] as const

async function unreadItems(
  folder: string,
  { home, layered, isTrusted }: SetupParts,
): Promise<readonly SetupItem[]> {
  const { layers } = await layered.layers.read(folder, { trusted: isTrusted(folder) })
  const line = JSON.stringify(layers.map(({ raw }) => raw['statusLine'] ?? null))
  const found = await Promise.all(
    UNREAD.map(async ([name, what, why]): Promise<readonly SetupItem[]> => {
      const file = join(home, '.claude', name)
      if (!(await exists(file))) return []
      const isUsed = what === 'Status line' && line.includes(name)
      return [
        itemOf(
          { group: 'user', what, file },
          isUsed ? { state: 'used', details: 'In the status bar' } : notUsed(why),
          { folder, home },
        ),
      ]
    }),
  )
  return found.flat()
}

function variableItems({ commandVariables, home }: SetupParts): readonly SetupItem[] {
  const { variables, withheld } = commandVariables()
  const notes = withheld.map(({ name, because }) => `${name} is not passed on: ${sentence(because)}`)
  const amount = Object.keys(variables).length
  const details = `${amount} reach commands${notes.length === 0 ? '' : `, ${notes.length} are withheld`}`
  const place = { group: 'troupe', what: 'Variables of commands', file: null, files: 0 } as const
  return [itemOf(place, { state: stateFor(amount, notes), details, notes }, { folder: home, home })]
}

/** @param saw called with each rule that was written, which the user has seen */
export function createImports(
  parts: SetupParts,
  saw: (file: { readonly path: string; readonly text: string }) => Promise<void>,
): SetupImports {
  const notes = importNotes(parts)
  const chosen = async (folder: string, file: string | null): Promise<Result<readonly OtherFile[]>> => {
    const all = await otherFiles(folder, parts)
    const wanted = file === null ? all : all.filter((one) => one.file === file)
    return wanted.length > 0
      ? ok(wanted)
      : fail({
          type: 'not-found',
          message:
            file === null
              ? 'No file of another program was found.'
              : `${file} has no servers or rules of a program that Troupe knows.`,
        })
  }
  const preview = async (folder: string, file: string | null): Promise<Result<SetupImport>> => {
    const files = await chosen(folder, file)
    if (!files.ok) return files
    const plan = planOf(files.value, folder, parts.home)
    return plan.servers.length + plan.rules.length > 0
      ? ok(plan)
      : fail({ type: 'nothing', message: ['There is nothing new to import.', ...plan.notes].join(' ') })
  }
  return {
    preview,
    async write(folder, file, digest) {
      const plan = await preview(folder, file)
      if (!plan.ok) return plan
      if (plan.value.digest !== digest)
        return fail({
          type: 'changed',
          message: 'The files changed since you saw what would be imported. Nothing was written. Look again.',
        })
      const { servers, rules } = plan.value
      const undo: (() => Promise<unknown>)[] = []
      const back = async (failure: { readonly type: string; readonly message: string }) => {
        for (const step of undo.toReversed()) await step()
        return fail(failure)
      }
      for (const rule of rules) {
        const base = rule.file.startsWith(join(folder, '.claude')) ? folder : parts.home
        const written = await writeRule(rule, base)
        if (!written.ok) return back(written.failure)
        undo.push(() => removeRule(rule))
        await saw({ path: rule.file, text: rule.text })
      }
      for (const { name, place, definition } of servers) {
        const entry = { name, definition: JSON.parse(definition), place, replace: false, before: null }
        const added = await parts.mcp.add({ folder, ...entry })
        if (!added.ok) return back(added.failure)
        undo.push(() => parts.mcp.remove({ folder, name }))
        const noted = await notes.decide(
          place === 'user' ? parts.home : folder,
          serverNoteOf(entry),
          'approved',
        )
        if (!noted.ok) return back(noted.failure)
      }
      return plan
    },
    async undo(folder, file) {
      const files = await chosen(folder, file)
      if (!files.ok) return files
      const rules = files.value.flatMap(({ done }) => done.rules)
      const servers = files.value.flatMap(({ done }) => done.servers)
      if (rules.length + servers.length === 0)
        return fail({
          type: 'nothing',
          message: 'Nothing that was imported from it is here unchanged, so there is nothing to take back.',
        })
      for (const server of servers) {
        const removed = await parts.mcp.remove({ folder, name: server.name })
        if (!removed.ok) return removed
        const place = files.value.find(({ done }) => done.servers.includes(server))?.place
        await notes.decide(place === 'user' ? parts.home : folder, serverNoteOf(server), 'refused')
      }
      for (const rule of rules) {
        const removed = await removeRule(rule)
        if (!removed.ok) return removed
      }
      return ok([
        ...servers.map(({ name }) => name),
        ...rules.map((rule) => shownSetupPath(rule.file, folder, parts.home)),
      ])
    },
  }
}

function planOf(files: readonly OtherFile[], folder: string, home: string): SetupImport {
  const servers = files.flatMap(({ place, fresh }) =>
    fresh.servers.map(({ name, definition }) => ({
      ...{ name, place },
      definition: JSON.stringify(definition, null, 2),
    })),
  )
  // Two programs may have a server of one name: the first one is imported.
  const first = servers.filter(({ name }, at) => servers.findIndex((one) => one.name === name) === at)
  const rules = files.flatMap(({ fresh }) =>
    fresh.rules.map(({ from, file, paths, text }) => ({
      ...{
        from: shownSetupPath(from, folder, home),
        file,
        shown: shownSetupPath(file, folder, home),
        paths,
        text,
      },
    })),
  )
  const left = servers.filter((server) => !first.includes(server))
  return {
    servers: first,
    rules,
    notes: [
      ...files.flatMap(({ problems }) => problems),
      ...left.map(({ name }) => `A second server named ${name} is left out.`),
    ],
    digest: createHash('sha256')
      .update(JSON.stringify([first, rules]))
      .digest('hex'),
  }
}

/** Makes a new file below `.claude/rules` of the base folder, and follows no link out of the base. */
async function writeRule(rule: SetupImport['rules'][number], base: string): Promise<Result<void>> {
  try {
    // Links are followed before anything is made.
    const real = await realPathOf(rule.file)
    if (!real.ok || !isBelow(await realpath(base), real.value))
      return fail({
        type: 'io',
        message: `${rule.shown} was not written: its folder is a link that leads out of ${base}.`,
      })
    await mkdir(dirname(rule.file), { recursive: true })
    await writeFile(rule.file, rule.text, { flag: 'wx' })
    return ok(undefined)
  } catch (thrown) {
    return fail({ type: 'io', message: `${rule.shown} was not written: ${messageOf(thrown)}` })
  }
}

/** Deletes the file if it still has the text, and its folder if that is empty then. */
async function removeRule({ file, text }: Pick<OtherRule, 'file' | 'text'>): Promise<Result<void>> {
  try {
    if ((await readFile(file, 'utf8')) === text) await rm(file)
    // A folder with other files stays.
    await rmdir(dirname(file)).catch(() => undefined)
    return ok(undefined)
  } catch (thrown) {
    return fail({ type: 'io', message: `${file} was not deleted: ${messageOf(thrown)}` })
  }
}
