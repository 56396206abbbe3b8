import { fail, ok, type Result } from '../../../shared/kernel/result.ts'

/** A key is sent in a header, so it must be printable ASCII without spaces. Fails with `bad-key`. */
export function checkKey(given: string): Result<string> {
  const key = given.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return ok(key)
  return fail({
    type: 'bad-key',
    message:
      'Not a valid key: it contains spaces, line breaks or special characters. Copy the key again, without anything around it.',
  })
}
