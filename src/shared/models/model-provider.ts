/** Servers with the Messages API beside the main one: a local server, a gateway. A model of theirs is `NAME/model`. */
/** The name that stands for the main access. */
export const DEFAULT_PROVIDER = 'default'

interface ModelName {
  /** Null: the main access. */
  readonly provider: string | null
  readonly model: string
}

/** Splits `NAME/model`. A name without a slash has no provider; a model may contain further slashes. */
export function splitModel(name: string): ModelName {
  const slash = name.indexOf('/')
  return slash <= 0
    ? { provider: null, model: name }
    : { provider: name.slice(0, slash), model: name.slice(slash + 1) }
}

/** The model's name as a definition must write it to stay with the main access below an agent of a provider. */
export const withDefaultProvider = (name: string): string =>
  name.includes('/') ? name : `${DEFAULT_PROVIDER}/${name}`

/** Why there is no such provider, with those that exist. */
export function unknownProvider(name: string, known: readonly string[]): string {
  const names = known.length === 0 ? 'There are none' : `There are: ${known.join(', ')}`
  return `There is no model provider "${name}". ${names}. Add it in Settings › Access and models, or choose another model.`
}
