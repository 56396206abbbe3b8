/** Parses `troupe models …`. */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'

export type ModelsArguments =
  | { readonly verb: 'models-list'; readonly json: boolean }
  /** Null: the model of new conversations. */
  | { readonly verb: 'models-probe'; readonly model: string | null; readonly json: boolean }

/** The options of each command. */
const MODELS_OPTIONS = { json: 'flag' } as const satisfies OptionKinds

export function parseModels([action, ...args]: readonly string[]): Result<ModelsArguments> {
  if (action !== 'list' && action !== 'probe')
    return usage(`Use troupe models list or probe${action === undefined ? '' : `, not "${action}"`}.`)
  const read = readOptions(args, MODELS_OPTIONS)
  if (!read.ok) return read
  const { flag, positionals } = read.value
  const [model, extra] = positionals
  const json = flag('json')
  if (action === 'list')
    return model === undefined
      ? ok({ verb: 'models-list', json })
      : usage(`Unexpected argument "${model}": troupe models list takes none.`)
  return extra === undefined
    ? ok({ verb: 'models-probe', model: model ?? null, json })
    : usage('Give one model: troupe models probe NAME/MODEL')
}
