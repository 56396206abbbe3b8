import { sentence } from '../../../shared/result.ts'
/** Why the model declined: `stop_details` of a refusal as one sentence. */

/** Null if the API gives neither an explanation nor a category. */
export function refusalText(details: unknown): string | null {
  if (typeof details !== 'object' || details === null) return null
  const { category, explanation }: { category?: unknown; explanation?: unknown } = details
  const [reason, kind] = [clean(explanation, 500).replace(/[.!?]$/, ''), clean(category, 60)]
  if (reason === '') return kind === '' ? null : `${kind}.`
  return kind === '' ? sentence(reason) : `${reason} (${kind}).`
}

/** A foreign text in one line, without control characters. */
function clean(text: unknown, most: number): string {
  return typeof text === 'string'
    ? text
        .slice(0, most)
        .replace(/[\p{Cc}\s]+/gu, ' ')
        .trim()
    : ''
}
