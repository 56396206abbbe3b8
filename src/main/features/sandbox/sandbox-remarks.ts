/** Sentences for an agent whose command failed because of the sandbox: what kept it, and what to do next. */
import { lstatSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { OUTSIDE_OFFER } from '../../runtime/ports/sandbox.ts'
import type { FileAccess, FoundFile } from './folder-scan.ts'
import { isUnseen, type Mount } from './mount-plan.ts'

/** Empty where nothing in the output shows that the sandbox kept the command from something. */
export function aboutFailure(
  output: string,
  {
    kept,
    plan,
  }: { readonly kept: readonly Pick<FoundFile, 'path' | 'access'>[]; readonly plan: readonly Mount[] },
): readonly string[] {
  return [...aboutKept(output, kept), ...aboutUnseen(output, plan), ...aboutStash(output)]
}

/** Names the kept files that a command failed on. */
function aboutKept(output: string, kept: readonly Pick<FoundFile, 'path' | 'access'>[]): readonly string[] {
  const lines = output
    .split('\n')
    .filter((line) =>
      /read-only file system|EROFS|resource busy|EBUSY|permission denied|EACCES|EPERM|operation not permitted/i.test(
        line,
      ),
    )
  const names = (access: FileAccess) => [
    ...new Set(
      kept
        .filter((file) => file.access === access && lines.some((line) => line.includes(basename(file.path))))
        .map(({ path }) => path),
    ),
  ]
  const [fixed, hidden] = [names('read-only'), names('hidden')]
  const list = (paths: readonly string[]) => paths.slice(0, 5).join(', ')
  return [
    ...(fixed.length === 0
      ? []
      : [
          `Commands in the sandbox can't change ${list(fixed)}: such files decide what runs later or what agents are told. Use Write or Edit for it. ${OUTSIDE_OFFER}`,
        ]),
    ...(hidden.length === 0
      ? []
      : [`The user's rules keep commands from reading ${list(hidden)}. ${OUTSIDE_OFFER}`]),
  ]
}

/** Names a file of this machine that a command did not find because the sandbox does not show it. */
function aboutUnseen(output: string, plan: readonly Mount[]): readonly string[] {
  const lines = output
    .split('\n')
    .filter((line) =>
      /no such file|not found|cannot access|ENOENT|does not exist|does not appear to be/i.test(line),
    )
  const paths = lines.flatMap((line) =>
    [...line.matchAll(/(?<![\w.])\/[^\s'"`:,;()]+/g)].map(([path]) => path),
  )
  const unseen = [...new Set(paths)].find(
    (path) => isUnseen(path, plan) && lstatSync(dirname(path), { throwIfNoEntry: false }) !== undefined,
  )
  return unseen === undefined
    ? []
    : [
        `Commands in the sandbox see neither ${unseen} nor other files beside the working folder and in the home. ${OUTSIDE_OFFER}`,
      ]
}

/** The private git folder of the user's own checkout has a stash that git can't change. Git says only that it is broken. */
const aboutStash = (output: string): readonly string[] =>
  /^warning: ignoring broken ref refs\/stash$/m.test(output) && output.includes('Cannot save the current')
    ? [
        `Commands in the sandbox stash nothing in the user's own checkout, and don't see the user's stash; nothing was changed. ${OUTSIDE_OFFER}`,
      ]
    : []
