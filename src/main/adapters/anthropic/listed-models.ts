/** `GET /v1/models`: the models available to a key. */
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { ModelFailure } from '../../runtime/ports.ts'
import type { ApiAccess } from './api-access.ts'
import { boundedText } from './bounded-text.ts'
import { serverFailure } from './model-failures.ts'

export interface ListedModel {
  readonly id: string
  /** The display name. */
  readonly name: string
  readonly contextTokens: number | null
}

/** The largest page. No key has more models. */
const PATH = '/v1/models?limit=1000'
/** Characters of the longest list. */
const MAX_LIST = 4_000_000

export async function listModels(
  access: ApiAccess,
  signal: AbortSignal,
): Promise<Result<readonly ListedModel[], ModelFailure>> {
  const sent = await access.send({ method: 'get', path: PATH, signal })
  if (!sent.ok) return sent
  const { text, complete } = await boundedText(sent.value, MAX_LIST)
  const models = complete ? modelsIn(text) : null
  return models === null ? fail(serverFailure('the list of models is invalid or incomplete')) : ok(models)
}

function modelsIn(text: string): readonly ListedModel[] | null {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  if (!isRecord(body) || !Array.isArray(body['data'])) return null
  return body['data'].filter(isRecord).flatMap((model) => {
    const { id, display_name: name, max_input_tokens: contextTokens } = model
    if (typeof id !== 'string') return []
    return [
      {
        id,
        name: typeof name === 'string' && name !== '' ? name : id,
        contextTokens: typeof contextTokens === 'number' ? contextTokens : null,
      },
    ]
  })
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
