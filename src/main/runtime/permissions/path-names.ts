/**
 * The names of a path as the most lenient file system compares them: without case, invisible characters, trailing
 * dots and spaces, streams (`.git::$INDEX_ALLOCATION`) and short names (`GIT~1`).
 */
export function namesOf(path: string): readonly string[] {
  return path
    .replaceAll('\\', '/')
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .map((name) => {
      const plain = name
        .normalize('NFC')
        .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]/gu, '')
        .toLowerCase()
        .replace(/:.*$/, '')
        .replace(/[. ]+$/, '')
      return /^git~[0-9]+$/.test(plain) ? '.git' : plain
    })
}
