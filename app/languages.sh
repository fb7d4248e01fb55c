# Lists the languages of a page that Trunk has built, one for each sheet beside it, where `boot.js` looks for them.
set -e
cd "$TRUNK_STAGING_DIR"
tags=$(cd languages && echo *.json | sed 's/\.json//g')
sed "s/content=\"\{0,1\}languages\"\{0,1\}/content=\"$tags\"/" index.html >index.part
mv index.part index.html
