/**
 * A container engine for tests: it knows one image, whose files are some programs of this machine, and refuses every
 * argument that it does not know. It notes its calls.
 */
import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface FakeEngine {
  /** To be put before PATH. */
  readonly bin: string
  /** The folder with the files of its image. */
  readonly root: string
  calls(): Promise<readonly string[]>
}

const PROGRAMS = ['bash', 'cat', 'ls', 'id', 'touch', 'sleep', 'mkdir']

/** @param name of the only image that can be pulled. Of `base`, folders are made. */
export async function fakeEngine(base: string, name: string): Promise<FakeEngine> {
  const [bin, root, state] = [join(base, 'engine-bin'), join(base, 'image'), join(base, 'engine')]
  for (const folder of [bin, state, join(root, 'etc'), join(root, 'tmp'), join(root, 'opt/tool')])
    await mkdir(folder, { recursive: true })
  const programs = [...PROGRAMS.map((each) => whereIs(each)), process.execPath]
  for (const program of programs) {
    const at = program === process.execPath ? '/usr/local/bin/node' : `/usr/bin/${program.split('/').at(-1)}`
    for (const [from, to] of [
      [program, at] as const,
      ...librariesOf(program).map((each) => [each, each] as const),
    ]) {
      await mkdir(dirname(join(root, to)), { recursive: true })
      await cp(from, join(root, to), { dereference: true })
    }
  }
  await writeFile(join(root, 'etc/passwd'), 'nobody:x:65534:65534::/:/bin/false\n')
  await writeFile(join(root, 'opt/tool/only-here'), '#!/usr/bin/bash\necho only in the image\n')
  await chmod(join(root, 'opt/tool/only-here'), 0o755)
  await writeFile(join(bin, 'podman'), engineScript({ name, root, state }))
  await chmod(join(bin, 'podman'), 0o755)
  return {
    ...{ bin, root },
    calls: async () =>
      (await readFile(join(state, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean),
  }
}

const whereIs = (program: string): string =>
  execFileSync('bash', ['-c', `type -P ${program}`], { encoding: 'utf8' }).trim()

const librariesOf = (program: string): readonly string[] =>
  execFileSync('bash', ['-c', `ldd ${program}`], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? [])

const engineScript = ({
  name,
  root,
  state,
}: {
  readonly name: string
  readonly root: string
  readonly state: string
}): string => `#!/bin/bash
echo "$*" >> ${state}/calls
refuse() { echo "Error: unknown: $*" >&2; exit 125; }
case "$1 $2" in
  "ps --all") [ "$3 $4 $5" = "--quiet --filter label=troupe=files" ] && [ $# = 5 ] || refuse "$@"
    cat ${state}/containers 2>/dev/null; exit 0 ;;
  "image inspect") [ $# = 3 ] || refuse "$@"
    [ -e "${state}/has-\${3//[\\/:]/_}" ] || { echo "Error: $3: image not known" >&2; exit 125; }
    echo '[{"Id":"sha256:0123456789abcdef0123456789abcdef","Config":{"Env":["PATH=/usr/local/bin:/usr/bin:/opt/tool","OF_IMAGE=yes"]}}]'; exit 0 ;;
esac
case "$1" in
  pull) [ $# = 2 ] && [ "$2" = "${name}" ] || { echo "Error: $2: manifest unknown" >&2; exit 125; }
    touch "${state}/has-\${2//[\\/:]/_}"; echo "Pulled $2" ;;
  build) [ "$2 $4" = "--tag --file" ] && [ -e "$5" ] || refuse "$@"
    touch "${state}/has-$3"; echo "STEP 1: $(head -1 "$5")" ;;
  create) [ "$2 $3 $5" = "--label troupe=files true" ] && [ $# = 5 ] || refuse "$@"
    echo c$$ >> ${state}/containers; echo c$$ ;;
  export) [ $# = 4 ] && [ "$2" = "--output" ] && grep -qx "$4" ${state}/containers || refuse "$@"
    [ ! -e ${state}/slow ] || sleep 30
    tar -c -f "$3" -C ${root} . ;;
  rm) [ "$2" = "--force" ] && [ $# = 3 ] || refuse "$@"
    grep -vx "$3" ${state}/containers > ${state}/left; mv ${state}/left ${state}/containers ;;
  *) refuse "$@" ;;
esac
`
