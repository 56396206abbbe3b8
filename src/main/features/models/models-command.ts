/** `troupe models list` and `probe`: the models of the providers in the settings. */

import type { Result } from '../../../shared/kernel/result.ts'
import { canCallTools, type ModelProbe, probeChecks } from '../../../shared/models/model-probe.ts'
import type { Providers } from '../../../shared/models/model-provider-schema.ts'
import { EXIT, jsonLine, oneLine, type Printing } from '../../platform/command-line/terminal.ts'

export interface ModelsContext extends Printing {
  readonly providers: Providers
  /** The model of new conversations. */
  readonly defaultModel: string
  probe(model: string): Promise<ModelProbe>
  /** Keeps what a test found. Null: a model of the main access, of which nothing is kept. */
  keep(probe: ModelProbe): Promise<Result<unknown> | null>
}

/** The values of `troupe models …`. */
export type ModelsCommand = { readonly json: boolean } & (
  | { readonly verb: 'models-list' }
  /** Null: the model of new conversations. */
  | { readonly verb: 'models-probe'; readonly model: string | null }
)

/** @returns the exit code */
export async function modelsCommand(command: ModelsCommand, context: ModelsContext): Promise<number> {
  if (command.verb === 'models-list') return list(command.json, context)
  const { output, errors } = context
  const found = await context.probe(command.model ?? context.defaultModel)
  const passed = found.checks.every((check) => check.passed)
  if (command.json) output.write(jsonLine({ type: 'model-probe', ...found, tools: canCallTools(found) }))
  else {
    output.write(`${oneLine(found.model)}${found.ms === null ? '' : `: first answer in ${found.ms} ms`}\n`)
    for (const { name, passed, detail } of found.checks)
      output.write(`  ${passed ? 'yes' : 'no '}  ${probeChecks[name]}${detail && `: ${oneLine(detail)}`}\n`)
    if (canCallTools(found) === false)
      output.write('  Agents need tools: an agent on this model can only answer with text.\n')
  }
  const kept = await context.keep(found)
  if (kept?.ok === false) errors.write(`${oneLine(kept.failure.message)}\n`)
  return passed ? EXIT.done : EXIT.failed
}

function list(json: boolean, { providers, output }: ModelsContext): number {
  const found = Object.entries(providers).flatMap(([name, { baseUrl, models }]) =>
    Object.entries(models).map(([id, model]) => ({ id: `${name}/${id}`, baseUrl, model })),
  )
  if (json) {
    for (const { id, baseUrl, model } of found)
      output.write(jsonLine({ type: 'model', id, baseUrl, ...model }))
    return EXIT.done
  }
  if (found.length === 0)
    output.write('The setting providers has no models. See docs/using/local-models.md.\n')
  for (const { id, baseUrl, model } of found) {
    const tools = model.tools === undefined ? 'not tested' : model.tools ? 'calls tools' : "can't call tools"
    const price =
      model.price === undefined ? 'no known price' : `$${model.price.input} in, $${model.price.output} out`
    output.write(`${oneLine(id)}  ${oneLine(baseUrl)}  ${tools}, ${price}\n`)
  }
  return EXIT.done
}
