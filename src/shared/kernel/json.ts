/** JSON from outside that need not be whole: a schema judges the value. */

/** The value, or undefined where the text is not JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
