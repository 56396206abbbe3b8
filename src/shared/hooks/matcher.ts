/** Decides whether a hook's matcher applies. */

/** Former names of tools, which matchers may still use. */
const FORMER_NAMES: Readonly<Record<string, readonly string[]>> = { Agent: ['Task'] }

type Matches = (subject: string) => boolean

/**
 * Empty or `*` matches everything. Plain names, also `A|B`, match exactly; anything else is a regular expression that
 * may match anywhere. Null: the expression is invalid.
 */
export function readMatcher(matcher: string): Matches | null {
  const written = matcher.trim()
  if (written === '' || written === '*') return () => true
  const accepts = accepting(written)
  return accepts && ((subject) => [subject, ...(FORMER_NAMES[subject] ?? [])].some(accepts))
}

/** Of FileChanged: names of files, separated by `|`. Empty: every watched file. */
export function matchesFile(matcher: string, name: string): boolean {
  const names = fileNames(matcher)
  return names.length === 0 || names.includes(name)
}

/** The names in a matcher of FileChanged. Empty: every watched file. */
export function fileNames(matcher: string): readonly string[] {
  return matcher
    .split('|')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== '*')
}

function accepting(written: string): Matches | null {
  if (/^[\w\s|-]+$/.test(written)) {
    const names = new Set(written.split('|').map((name) => name.trim()))
    return (subject) => names.has(subject)
  }
  try {
    const expression = new RegExp(written)
    return (subject) => expression.test(subject)
  } catch {
    return null
  }
}
