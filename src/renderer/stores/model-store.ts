/** The available models: the aliases, then the API's models, which load when a picker opens. */
import { create } from 'zustand'
import { command } from '../bridge.ts'
import { useSession } from './session-store.ts'

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
  const known = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(id)
  if (known === null) return id
  const [, family, major, minor] = known
  return `${family} ${major}${minor === undefined ? '' : `.${minor}`}`
}
