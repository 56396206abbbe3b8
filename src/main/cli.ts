console.log(`troupe: nothing to do for ${JSON.stringify(process.argv.slice(2))}`)
