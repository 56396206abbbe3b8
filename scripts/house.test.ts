import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { crumbs, measure, readHouse } from './house.ts'

test('the structure of the sources gets no worse', () => {
  const worse = measure(readHouse(join(import.meta.dirname, '..'))).filter(
    ({ value, limit }) => value > limit,
  )
  expect(worse, 'See `node scripts/house.ts`, and docs/architecture.md, "The house in figures".').toEqual([])
})

test('figures count what they say', async () => {
  const root = await mkdtemp(join(tmpdir(), 'troupe-house-'))
  try {
    const files: Readonly<Record<string, string>> = {
      'src/main/cli.ts': "import { one } from './a/one.ts'\nexport const cli = [one, Date.now()]\n",
      'src/main/a/one.ts':
        "import type { Two } from '../b/two.ts'\nexport const one: Two = 1\nlet ids = Math.random()\n",
      'src/main/a/one.test.ts': "import { one } from './one.ts'\n",
      'src/main/b/two.ts':
        "import { type three } from '../../shared/three.ts'\nexport type Two = typeof three\n",
      'src/shared/three.ts': "import { z } from 'zod'\nexport const three = 1\nexport const one = z\n",
      'src/renderer/main.tsx':
        "import { four } from './four.ts'\nimport { type three } from '../shared/three.ts'\nvoid import('./late.ts')\n",
      'src/renderer/four.ts':
        "export * from './five.ts'\nlet last = performance.now()\nexport let next = 1\n",
      'src/renderer/ui/machine.ts':
        'export const timeNow = () => Date.now()\nexport const key = () => crypto.randomUUID()\n',
      'src/renderer/five.ts': "import { z } from 'zod'\n",
      'src/renderer/late.ts': "import { z } from 'zod'\n",
    }
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    const house = readHouse(root)
    const values = Object.fromEntries(measure(house).map(({ name, value }) => [name, value]))
    expect(values).toMatchObject({
      'files without tests': 9,
      lines: 20,
      'names exported twice': 1,
      'files with zod in the first chunk of the window': 1,
      'floors from cli.ts to shared': 4,
      'variables of modules in the window': 2,
      'uses of the real clock and of random ids below the roots': 2,
    })
    expect(crumbs(house).map(({ path }) => path)).toEqual([
      'src/main/a/one.ts',
      'src/main/b/two.ts',
      'src/renderer/five.ts',
      'src/renderer/four.ts',
      'src/renderer/late.ts',
    ])
  } finally {
    await rm(root, { recursive: true, force: true })
  }
})
