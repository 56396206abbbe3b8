#!/usr/bin/env node
/** `node scripts/release-notes.mjs VERSION`: prints a version's part of CHANGELOG.md, or says that there is none. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './runner/paths.mjs'

/**
 * The lines below the heading of a version, up to the next heading of that level.
 *
 * @param {string} changelog
 * @param {string} version
 * @returns {string | null} null: the version has no heading, or nothing below it
 */
export function releaseNotes(changelog, version) {
  const [, ...parts] = changelog.split(/^## /m)
  const part = parts.find((text) => text.split(/\s/, 1)[0]?.replace(/^\[|\]$/g, '') === version)
  const notes = part?.slice(part.indexOf('\n')).trim() ?? ''
  return notes === '' ? null : notes
}

if (process.argv[1]?.endsWith('release-notes.mjs')) {
  const version = process.argv[2] ?? ''
  const notes = releaseNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)
  if (notes === null) {
    console.error(
      `CHANGELOG.md has no part for "${version}". Rename its heading "## Unreleased" to "## ${version}".`,
    )
    process.exitCode = 1
  } else console.log(notes)
}
