/** An agent's name as a part of paths: for its memory, its worktrees and its mailbox. */

const LONGEST = 40
/** Device names that Windows reserves. */
const DEVICES = /^(con|prn|aux|nul|com\d|lpt\d)$/

/**
 * At most 40 characters of `[a-z0-9-]`, followed by 6 hex digits if characters of the name were lost. Case does not
 * count, as in names of agents.
 */
export function agentSlug(name: string): string {
  const plain = name.trim().normalize('NFC').toLowerCase()
  const slug = plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '')
  if (slug === plain && slug !== '' && !DEVICES.test(slug)) return slug
  return [slug, hexOf(plain)].filter((part) => part !== '').join('-')
}

/** FNV-1a over the characters, folded to 24 bits. */
function hexOf(text: string): string {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  return ((hash >>> 24) ^ (hash & 0xffffff)).toString(16).padStart(6, '0')
}
