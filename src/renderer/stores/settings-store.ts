/**
 * The settings: their change, the pages of the settings view, what other files than the program's own say, and the models
 * to choose among.
 */

import { useEffect, useState } from 'react'
import { create } from 'zustand'
import type { Answer, CommandInput } from '../../shared/ipc/ipc-contract.ts'
import type { AccessInfo } from '../../shared/models/model-access.ts'
import type { RehearsalPace } from '../../shared/models/rehearsal-pace.ts'
import type { InstalledPlugin } from '../../shared/plugins/installed-plugin.ts'
import type { ListedRules } from '../../shared/rules/contract.ts'
import type { EntryEdit } from '../../shared/rules/written-rule.ts'
import type { Settings, SettingsPatch } from '../../shared/settings/settings.ts'
import type { SettingOrigin } from '../../shared/settings/settings-layers.ts'
import { TUTORIAL_MODEL } from '../../shared/tutorial/tutorial.ts'
import { command } from '../bridge.ts'
import { showFailure } from './overlay-store.ts'
import { setView, useSession } from './session-store.ts'

// What other files than the program's own say: the origins of settings, permission rules, plugins.

interface SettingsFilesStore {
  readonly origins: Readonly<Record<string, SettingOrigin>>
  /** Null until the first answer. */
  readonly rules: ListedRules | null
  readonly plugins: readonly InstalledPlugin[] | null
}

export const useSettingsFiles = create<SettingsFilesStore>()(() => ({
  origins: {},
  rules: null,
  plugins: null,
}))

const { setState: set } = useSettingsFiles

/** Loads all while the settings are shown, again after a change of the settings, the folder or its trust. */
export function useSettingsFilesLoaded(): void {
  const settings = useSession((state) => state.settings)
  const folder = useSession((state) => state.folder?.path ?? null)
  const trusted = useSession((state) => state.folder?.trusted === true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: settings and trust decide the answers
  useEffect(() => {
    void load(folder)
  }, [settings, folder, trusted])
}

async function load(folder: string | null): Promise<void> {
  const [origins, plugins, rules] = await Promise.all([
    command('settings.origins', {}),
    command('plugins.list', {}),
    folder === null ? null : command('rules.list', { folder }),
  ])
  set({
    origins: (origins.ok ? origins.value : null) ?? {},
    plugins: (plugins.ok ? plugins.value : null) ?? [],
    ...(useSession.getState().folder?.path === (folder ?? undefined) && {
      rules: (rules?.ok ? rules.value : null) ?? null,
    }),
  })
}

/** Reads the permission rules again: another program may have changed the files. */
export async function reloadRules(): Promise<void> {
  const folder = useSession.getState().folder?.path
  if (folder === undefined) return
  const answer = await command('rules.list', { folder })
  if (answer.ok && useSession.getState().folder?.path === folder) set({ rules: answer.value ?? null })
}

/** Adds, changes, moves or removes an entry. @returns the failure's message; null: done */
export async function editRule(folder: string, edit: EntryEdit): Promise<string | null> {
  const answer = await command('rules.edit', { folder, from: edit.from, to: edit.to })
  if (answer.ok) set({ rules: answer.value })
  // The list may be older than the file.
  else await reloadRules()
  return answer.ok ? null : answer.failure.message
}

/** Approves an entry that came into the folder's local file. @returns the failure's message; null: done */
export async function approveRule(
  folder: string,
  { list, text }: { readonly list: 'allow' | 'additionalDirectories'; readonly text: string },
): Promise<string | null> {
  const answer = await command('rules.approve', { folder, list, text })
  if (answer.ok) set({ rules: answer.value })
  return answer.ok ? null : answer.failure.message
}

type Plugins = readonly InstalledPlugin[]

/** Each resolves to the failure's message; null: done. */
export const pluginActions = {
  add: (source: string) => take(command('plugins.add', { source })),
  enable: (name: string, digest: string) => take(command('plugins.enable', { name, digest })),
  disable: (name: string) => take(command('plugins.disable', { name })),
  remove: (name: string) => take(command('plugins.remove', { name })),
  update: (name: string) => take(command('plugins.update', { name })),
}

async function take(asked: Promise<Answer<Plugins>>): Promise<string | null> {
  const answer = await asked
  if (answer.ok) set({ plugins: answer.value })
  return answer.ok ? null : answer.failure.message
}

/** Changes settings; in effect at once. The caller shows a failure beside the field. */
export async function changeSettings(patch: SettingsPatch): Promise<Answer<Settings>> {
  const answer = await command('settings.change', { patch })
  if (answer.ok) useSession.setState({ settings: answer.value })
  return answer
}

/** Opens a file that settings, hooks or servers come from, in the user's editor. A failure becomes a notice. */
export async function openSettingsFile(file: string, line: number | null): Promise<void> {
  const folder = useSession.getState().folder?.path ?? null
  const answer = await command('settings.open', { folder, file, line })
  if (!answer.ok) showFailure(answer.failure)
}

/** Removes settings from the program's own file. @returns the failure's message; null: done */
export async function resetSettings(names: readonly string[]): Promise<string | null> {
  const answer = await command('settings.reset', { names: [...names] })
  if (answer.ok) useSession.setState({ settings: answer.value })
  return answer.ok ? null : answer.failure.message
}

/** Changes settings, and keeps the error message for the row. */
export function useChange(): readonly [
  string | null,
  (patch: SettingsPatch) => Promise<void>,
  (error: string | null) => void,
] {
  const [error, setError] = useState<string | null>(null)
  const change = async (patch: SettingsPatch) => {
    const answer = await changeSettings(patch)
    setError(answer.ok ? null : answer.failure.message)
  }
  return [error, change, setError]
}

/** Changes the model source. The caller shows a failure. */
export async function setAccess(access: CommandInput<'access.set'>): Promise<Answer<AccessInfo>> {
  const answer = await command('access.set', access)
  if (answer.ok) useSession.setState({ access: answer.value })
  return answer
}

/** The names of the paces of the rehearsal. */
// The pace of the rehearsal: its names in the window, and its change.

export const PACE_LABELS: readonly { readonly value: RehearsalPace; readonly label: string }[] = [
  { value: 'readable', label: '1×' },
  { value: 'faster', label: '4×' },
  { value: 'instant', label: 'instant' },
]

export function setRehearsalPace(rehearsalPace: RehearsalPace): Promise<Answer<Settings>> {
  return changeSettings({ rehearsalPace })
}

/** Shows a page of the settings. */
export function showSettingsPart(part: SettingsPart): void {
  useSettingsPart.setState({ part })
  setView('settings')
}

/** The pages of the settings. */
export type SettingsPart =
  | 'setup'
  | 'insight'
  | 'general'
  | 'keys'
  | 'access'
  | 'limits'
  | 'coordination'
  | 'permissions'
  | 'sandbox'
  | 'mcp'
  | 'hooks'
  | 'plugins'
  | 'programs'
  | 'workers'
  | 'storage'

/** The shown page. */
export const useSettingsPart = create<{ readonly part: SettingsPart }>()(() => ({ part: 'general' }))

// The available models: the aliases, then the API's models, which load when a picker opens.

interface ModelChoice {
  readonly value: string
  readonly label: string
  readonly hint: string
}

interface ModelState {
  readonly phase: 'unknown' | 'loading' | 'ready' | 'failed'
  readonly models: readonly { readonly id: string; readonly name: string }[]
  readonly failure: string | null
  /** The access that the list was loaded with: another key may have other models. */
  readonly source: string
}

export const MODEL_ALIASES = ['haiku', 'sonnet', 'opus', 'fable'] as const

export const useModels = create<ModelState>()(() => ({
  phase: 'unknown',
  models: [],
  failure: null,
  source: '',
}))

/** Loads the API's models once for each access. */
export async function loadModels(): Promise<void> {
  const { kind, keySource, baseUrl } = useSession.getState().access
  const source = `${kind} ${keySource} ${baseUrl}`
  const { phase, source: asked } = useModels.getState()
  if (asked === source && (phase === 'loading' || phase === 'ready')) return
  useModels.setState({ phase: 'loading', source, models: [], failure: null })
  const answer = await command('access.models', {})
  if (useModels.getState().source !== source) return
  if (answer.ok) useModels.setState({ phase: 'ready', models: answer.value })
  else useModels.setState({ phase: 'failed', failure: answer.failure.message })
}

/** The options of a model picker. They include `current` even if no list has it. */
export function modelChoices(
  models: ModelState['models'],
  aliases: Readonly<Record<string, string>>,
  current: string,
): readonly ModelChoice[] {
  const choices: ModelChoice[] = MODEL_ALIASES.map((alias) => ({
    value: alias,
    label: alias,
    hint: aliases[alias] ?? 'built in',
  }))
  for (const { id, name } of models)
    if (!choices.some((choice) => choice.value === id)) choices.push({ value: id, label: name, hint: id })
  if (!choices.some((choice) => choice.value === current))
    choices.push({ value: current, label: current, hint: '' })
  return choices
}

/** A short label of a model's id: "claude-sonnet-4-5-20250929" is "sonnet 4.5". */
export function modelLabel(id: string): string {
  if (id === TUTORIAL_MODEL) return 'script'
  const known = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(id)
  if (known === null) return id
  const [, family, major, minor] = known
  return `${family} ${major}${minor === undefined ? '' : `.${minor}`}`
}
