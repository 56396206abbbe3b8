/** Starts the built program of the window: `index.cjs` and the scripts beside it, with their compiled code. */
import { createCompiled } from './compiled.mjs'

const { createRequire } = process.getBuiltinModule('module')
const { dirname, join } = process.getBuiltinModule('path')

/** Inserted by the build. */
const BUILD = 'hash of the program'
/** ms. After this time the functions of the start are compiled for certain, and V8 has not dropped any. */
const KEEP_AFTER = 3000

const folder = import.meta.dirname
const compiled = createCompiled(
  join(folder, 'index'),
  BUILD,
  () =>
    process.env.TROUPE_HOME?.trim() ||
    createRequire(join(folder, 'index.cjs'))('electron').app.getPath('userData'),
)
const modules = new Map()

compiled.keepAfter(KEEP_AFTER)
load(join(folder, 'index.cjs'))

/** Loads a script of the program as Node would. @returns its exports */
function load(path) {
  const known = modules.get(path)
  if (known !== undefined) return known.exports
  const module = { exports: {} }
  modules.set(path, module)
  const ofNode = createRequire(path)
  const require = (id) => (id.startsWith('.') ? load(join(dirname(path), id)) : ofNode(id))
  compiled.run(path, require, module, dirname(path))
  return module.exports
}
