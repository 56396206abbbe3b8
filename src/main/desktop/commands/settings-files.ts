/** Handlers for permission rules, plugins and the user's setup. */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ListedRules } from '../../../shared/rules/contract.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

interface SettingsFilesDeps {
  readonly program: () => Promise<Program>
}

export function settingsFileCommands({
  program,
}: SettingsFilesDeps): HandlersOf<'rules'> &
  HandlersOf<'texts'> &
  HandlersOf<'plugins'> &
  HandlersOf<'setup'> {
  const listed = async (folder: string): Promise<Result<ListedRules>> => {
    const { settingsFiles } = await program()
    return settingsFiles === undefined ? fail(NONE) : ok(await settingsFiles.rules(folder))
  }
  const withPlugins = async (act: (plugins: Plugins) => Promise<Result<unknown>>) => {
    const { plugins } = await program()
    if (plugins === undefined) return fail(NONE)
    const done = await act(plugins)
    return done.ok ? ok(await plugins.list()) : done
  }
  return {
    'rules.list': ({ folder }) => listed(folder),
    'rules.edit': async ({ folder, ...edit }) => {
      const { settingsFiles } = await program()
      if (settingsFiles === undefined) return fail(NONE)
      const edited = await settingsFiles.editRule(folder, edit)
      return edited.ok ? listed(folder) : edited
    },
    'rules.approve': async ({ folder, ...entry }) => {
      const { settingsFiles } = await program()
      if (settingsFiles === undefined) return fail(NONE)
      const approved = await settingsFiles.approve(folder, entry)
      return approved.ok ? listed(folder) : approved
    },
    'texts.waiting': async ({ folder }) => ok((await (await program()).texts?.waiting(folder)) ?? []),
    'texts.approve': async ({ folder, ...text }) => {
      const { texts } = await program()
      if (texts === undefined) return fail(NONE)
      const approved = await texts.approve(folder, text)
      return approved.ok ? ok(await texts.waiting(folder)) : approved
    },
    'rules.test': async (question) => {
      const { settingsFiles } = await program()
      return settingsFiles === undefined ? fail(NONE) : settingsFiles.testCall(question)
    },
    'setup.report': async ({ folder }) => {
      const { setup } = await program()
      return setup === undefined ? fail(NONE) : ok(await setup.report(folder))
    },
    'setup.preview': async ({ folder, file }) => {
      const { setup } = await program()
      return setup === undefined ? fail(NONE) : setup.imports.preview(folder, file)
    },
    'setup.import': async ({ folder, file, digest }) => {
      const { setup } = await program()
      if (setup === undefined) return fail(NONE)
      const imported = await setup.imports.write(folder, file, digest)
      return imported.ok ? ok(await setup.report(folder)) : imported
    },
    'setup.undoImport': async ({ folder, file }) => {
      const { setup } = await program()
      if (setup === undefined) return fail(NONE)
      const undone = await setup.imports.undo(folder, file)
      return undone.ok ? ok(await setup.report(folder)) : undone
    },
    'plugins.list': () => withPlugins(async () => ok(undefined)),
    'plugins.add': ({ source }) => withPlugins((plugins) => plugins.add(source)),
    'plugins.enable': ({ name, digest }) => withPlugins((plugins) => plugins.enable(name, digest)),
    'plugins.disable': ({ name }) => withPlugins((plugins) => plugins.disable(name)),
    'plugins.remove': ({ name }) => withPlugins((plugins) => plugins.remove(name)),
    'plugins.update': ({ name }) => withPlugins((plugins) => plugins.update(name)),
  }
}

type Plugins = NonNullable<Program['plugins']>

const NONE = { type: 'not-here', message: 'This program reads no settings files.' }
