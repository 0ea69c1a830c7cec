// Words of medicine and of talk about a person: what a statement about somebody's health is made of. Lists only.

/** Conditions, by the word that gives them away in a sentence. */
export const CONDITIONS =
	"abscess|adhd|(?<!hearing |visual |teaching |study )aids\\b|alzheimer|anemia|anaemia|aneurysm|angina|anorexia|anxiety|appendicitis|arrhythmia|arthritis|asthma|atrial fibrillation|autism|bipolar|bronchitis|bulimia|cancer|carcinoma|cardiomyopathy|celiac|chemotherapy|chlamydia|cholera|cirrhosis|colitis|concussion|copd|covid|crohn|cystic fibrosis|dementia|depression|depressive|dermatitis|diabet|dialysis|eczema|embolism|emphysema|endometriosis|epilep|fibromyalgia|fracture|gastritis|glaucoma|gonorrh|gout|hepatitis|hernia|herpes|hiv(?!es)|hyperlipid|hypertension|hypotension|hypothyroid|hyperthyroid|infarction|insomnia|kidney disease|kidney failure|leukemia|leukaemia|lupus|lymphoma|malaria|melanoma|meningitis|migraine|multiple sclerosis|myocardial|neuropathy|obesity|osteopor|overdose|pancreatitis|parkinson|pneumonia|pregnan|psoriasis|ptsd|psychosis|renal failure|schizophren|scoliosis|seizure|sepsis|sickle cell|sinusitis|stenosis|stroke|syphilis|thrombosis|thyroid|transplant|tubercul|tumou?r|ulcer|urinary tract infection|hip replacement|knee replacement|mastectomy|biopsy|miscarriage|abortion|stillbirth|\\bivf\\b|heart attack|heart failure|burnout|hysterectomy|angioplasty|bypass surgery|pacemaker|rehab\\b(?! of)|eating disorder|panic attack|personality disorder|hemophilia|haemophilia|" +
	// German, French, Spanish, Italian, Portuguese, Dutch and Polish, where their stems differ.
	"krebs|herzinfarkt|herzinsuff|niereninsuff|schlaganfall|bluthochdruck|sklerose|zuckerkrank|lungenentz|leberzirrhose|demenz|migräne|magersucht|fehlgeburt|schwanger|leukämie|rheuma|gicht\\b|adipositas|bandscheibenvorfall|vorhofflimmern|tablettensucht|alkoholabh|" +
	"insuffisance (?:rénale|cardiaque|resp)|asthme|sclérose|grossesse|enceinte|fausse couche|diabète|démence|cirrhose|infarctus|pneumonie|tumeur|leucémie|dépression|dépressi|" +
	"neumon|insuficiencia (?:renal|card)|cáncer|\\basma\\b|esclerosis|embaraz|hipertensi|demencia|cirrosis|\\binfarto|ictus|esquizofren|leucemia|depresi|migraña|" +
	"fibrillazione|insufficienza (?:renale|card)|cancro|tumore|epilessia|sclerosi|gravidanza|incinta|ipertensione|demenz|cirrosi|leucemi|depression|emicrania|polmonite|artrite|" +
	"fibrilação|insuficiência|câncer|esclerose|grávida|gravidez|demência|cirrose|enfarte|depressão|enxaqueca|lúpus|" +
	"kanker|longontsteking|hartinfarct|beroerte|hoge bloeddruk|suikerziekte|zwanger|miskraam|dementie|depressie|reuma|astma|" +
	"cukrzyc|nowotw|\\brak (?:piersi|płuc|jelita)|nadciśnieni|zawał|udar mózgu|padaczk|depresj|zapaleni|ciąż|poronieni|białaczk|schizofren|marskoś";

/** What somebody feels or shows: it says something of their health only behind words of a clinic. */
export const SYMPTOMS =
	"chest pain|abdominal pain|back pain|shortness of breath|dyspn(?:o?ea)|dizz(?:y|iness)|nausea|vomit|fever|headache|palpitation|syncope|confusion|numbness|chills|cough|diarrh|swelling|edema|oedema|bleeding|hematuria|jaundice|weight loss|fatigue|suicid|hallucinat|self-harm|rash|saturación|saturação|brustschmerz|atemnot|schwindel|fieber|douleur|fièvre|dolor|fiebre|dolore|febbre|febre|falta de ar|pijn|koorts|gorączk|duszno|troponin|elevated bnp";

/** Generic names of medicines, the endings that INN stems give them, and brands that stand for them. */
export const MEDICINES =
	"acetaminophen|adderall|albuterol|alprazolam|amitriptyline|amoxicillin|ativan|azithromycin|bupropion|buprenorphine|cephalexin|ciprofloxacin|clonazepam|codeine|diazepam|digoxin|doxycycline|duloxetine|fentanyl|fluoxetine|furosemide|gabapentin|hydrochlorothiazide|hydrocodone|hydroxychloroquine|hydroxyzine|ibuprofen|interferon|insulin[ae]?|ketamine|lamotrigine|levodopa|levothyroxine|lithium|lorazepam|methadone|methotrexate|methylphenidate|metformin|metronidazole|morphine|naloxone|naproxen|norco|olanzapine|oxycodone|oxycontin|ozempic|paracetamol|percocet|prednisone|prednisolone|pregabalin|prozac|quetiapine|risperidone|ritalin|semaglutide|sertraline|tamoxifen|topiramate|tramadol|trazodone|truvada|salbutamol|hidroxicloroquina|los[aá]rt[aá]n|abilify|accutane|amoxicillin[ae]|amoxicilina|antabuse|aspirin[ae]?|coumadin|cymbalta|effexor|eliquis|entresto|escitalopram|citalopram|eutirox|euthyrox|humira|jardiance|keppra|klonopin|l-thyroxine?|lamictal|lexapro|lipitor|marcumar|mirtazapine?|mounjaro|novalgin|plavix|ramipril|seroquel|sintrom|spironolactone|suboxone|synthroid|valium|ventolin|vyvanse|wegovy|wellbutrin|xarelto|zyprexa|insuline?|metilfenidato|valpro\\w{2,6}|carbamazepin\\w?|metformin[ae]|ibuprofeno|paracetamolo?|levotiroxina|venlafaxine|vicodin|warfarin|xanax|zoloft|zolpidem|\\w{3,12}(?:statin|sart[aá]n|azole|mycin|cillin|oxacin|prazole|olol|dipine|gliptin|gliflozin|glutide|xaban|parin|mab|tinib|vir|pril|triptan|setron|idone)[aeo]?";

/** Those of them that are one word in full. */
export const MEDICINE_WORDS = MEDICINES.split("|").filter((word) => /^[a-z]+$/.test(word));

/** Says that somebody in particular is meant. */
export const SOMEBODY =
	/\bpatient(?:['’]s)?\b|\bpt\b|\bhe\b|\bshe\b|\bhis\b|\bher\b|\bhim\b|\bmy (?:mother|father|mom|mum|dad|wife|husband|son|daughter|brother|sister|partner|child|kid|baby|grand\w{2,8}|friend|boss|colleague|coworker|client|patient|doctor|therapist|last|recent)|\bi(?:'ve| have| was| am|'m| take| took| got)\b|\bmy \w{2,12} (?:is|was|came)|\bemployee\b|\bresident\b|\bclient\b|\bmember\b|\b\d{1,3}[ -]?(?:yo|y\/o|year[- ]olds?|years old|yr old|jährige)|\b(?:mr|mrs|ms|miss|mx|dr)\b\.?|\bbed \d|\bward \d|\bclaimant\b|\bstudent\b|\bapplicant\b|\bpatientin\b|\bpatienten\b|\bpaciente\b|\bpatiente\b|\bpaziente\b|\bpacjent(?:ka|ki|a)?\b|\bpatiënte?\b|\bversicherte[rn]?\b|\bmitarbeiter(?:in)?\b|\b(?:herrn?|frau|mme|sra?|señora?|sig|signora?|dhr|mevr|pani?)\b|\b(?:meine?|unsere?|mi|mon|ma|mio|mia|meu|minha|mijn|moja|mój|onze|notre|nuestr[oa]) (?:mutter|vater|frau|mann|sohn|tochter|bruder|schwester|chef|madre|padre|hij[oa]|espos[ao]|mujer|marido|herman[oa]|mère|père|femme|mari|fils|fille|frère|sœur|moglie|marito|figli[oa]|mãe|pai|filh[oa]|moeder|vader|vrouw|man|zoon|dochter|żona|mąż|syn|córka|mama|matka|tata)\b|\bich (?:habe|leide|bin|nehme)\b|\bj['’]ai\b|\bje (?:suis|souffre|prends)\b|\b(?:tengo|padezco|tomo|soffro|prendo|tenho|choruję|biorę)\b|\bik (?:heb|gebruik|slik)\b|\bdob\b|\bmrn\b|(?:john|jane) doe/;

/** What laboratories measure. */
export const ANALYTES = [
	"hba1c",
	"a1c",
	"ldl",
	"hdl",
	"tsh",
	"creatinine",
	"hemoglobin",
	"haemoglobin",
	"glucose",
	"egfr",
	"psa",
	"wbc",
	"platelets",
	"inr",
	"potassium",
	"sodium",
	"triglycerides",
	"cholesterol",
	"bilirubin",
	"ferritin",
	"crp",
	"troponin",
	"bun",
	"alt",
	"ast",
	"cd4",
	"hematocrit",
	"bnp",
	"kreatinin",
	"leukozyten",
	"glicemia",
	"glucosa",
	"hemoglobina",
	"colesterol",
	"cholesterin",
] as const;

/** Verbs and headings under which a condition or a medicine is somebody's. */
export const CLINICAL_VERBS = [
	"diagnosed",
	"diagnosis",
	"diagnoses",
	"dx",
	"prescribed",
	"admitted",
	"treated",
	"suffers",
	"suffering",
	"hx",
	"underwent",
	"takes",
	"allergic",
	"taking",
	"hospitalized",
	"hospitalised",
	"referral",
	"complains",
	"therapy",
	"surgery",
	"diagnostiziert",
	"diagnose",
	"leidet",
	"diagnosticado",
	"diagnosticada",
	"diagnosticato",
	"diagnosticata",
	"diagnosticaron",
	"diagnosi",
	"patient",
	"pt",
	"patientin",
	"patiente",
	"paciente",
	"paziente",
	"pacjent",
	"pacjentka",
	"leide",
	"nimmt",
	"erkrankt",
	"behandelt",
	"krankgeschrieben",
	"suivi",
	"suivie",
	"souffre",
	"traitement",
	"atteint",
	"atteinte",
	"padece",
	"padezco",
	"sufre",
	"tratamiento",
	"soffre",
	"soffro",
	"assume",
	"ricoverato",
	"ricoverata",
	"affetto",
	"affetta",
	"sofre",
	"tratamento",
	"internado",
	"internada",
	"lijdt",
	"gebruikt",
	"opgenomen",
	"choruje",
	"cierpi",
	"leczony",
	"leczona",
	"rozpoznanie",
	// Cut at letters beyond ASCII: diagnóstico, hospitalisé, ingresó, patiënt.
	"diagn",
	"hospitalis",
	"ingres",
	"pati",
	"nt",
] as const;

/** Conditions that are one word: each is looked at where it stands. */
export const CONDITION_WORDS =
	"alzheimer alzheimers anemia anxiety arthritis asthma autism bipolar bronchitis cancer carcinoma chemotherapy cirrhosis colitis copd crohn crohns dementia depression dialysis diabetes diabetic eczema endometriosis epilepsy epileptic fibromyalgia glaucoma gout hepatitis herpes hiv hypertension hypothyroidism leukemia leukaemia lupus lymphoma melanoma meningitis migraine migraines osteoporosis pancreatitis parkinson parkinsons pneumonia pregnant psoriasis ptsd psychosis schizophrenia schizophrenic seizure seizures sepsis stroke thrombosis tuberculosis tumor tumour miscarriage abortion burnout krebs kanker cancro schwanger enceinte embarazada incinta zwanger infarto infarkt herzinfarkt schlaganfall bluthochdruck demenz depressionen migraine epilepsie chemo radiotherapy".split(
		" ",
	);

/** Classes of medicines. */
export const MEDICINE_CLASSES =
	"anti-?depress|antipsychotic|antiretroviral|anticoagul|antiepileptic|anticonvuls|blood thinners?|beta.?blocker|betablocker|blutverdünner|bloedverdunner|chemo\\b|cellgifter|immunosuppress|mood stabili[sz]er|opioid|painkillers?|ssris?\\b|statins?\\b|steroids?\\b|birth control|antidépress|anticoagulant|schmerzmittel|psychopharmaka|antydepres|leki na|hormone (?:therapy|replacement)|puberty blocker";

/** Conditions within and at the end of compounds, where a language writes them as one word, or behind a letter beyond ASCII. */
export const CONDITION_STEMS =
	"krebs(?!\\p{L})|entzündung|karzinom|insuffizienz|erkrankung|syndrom|(?:nieren|leber|herz|organ|lungen)versagen|infarkt|blutung|(?:knochen|arm|bein|rippen|becken|schädel|handgelenks?|wirbel|leisten|schenkelhals|hüft|fuß)bruch|fraktur|allergie\\b|(?:angst|ess|schlaf|persönlichkeits|zwangs|belastungs|rhythmus|durchblutungs)störung|(?:alkohol|drogen|spiel|mager|tabletten|opioid|kokain)sucht|lähmung|vergiftung|thrombose|embolie|zuckerkrank|kanker|ontsteking|ziekte|stoornis|(?:bot|arm|been|heup|pols|enkel)breuk|verslaving|cancer\\b|sjukdom|sygdom|sykdom|sukkersyge|sockersjuk|kræft|kreft|blodpropp?|inflammation\\b|épilep|(?:pancr[eé]at|bronch|appendic|h?[eé]pat|m[eé]ning|arthr|artr|gastr|col|cist|cyst)ite\\b|\\w{3,12}itis\\b|(?:fibr|scler|cirrh|sten|thromb|necr|tubercul|endometri|sarcoid|arthr|silic)osis\\b|(?:leuk|glyc|lipid|ur|isch|bacter|thalass|septic|hypox)a?emia\\b|(?:neur|my|retin|nephr|cardiomy)opathy|(?:carcin|melan|lymph|sarc|gli|myel|fibr|aden|mesotheli|hemat|blast)oma\\b|(?:my|neur|arthr)algia|(?:hemi|para|quadri|tetra)plegi|tinnitus|mellitus";

/** Treatments, operations and aids, and what addiction and despair are called. */
export const CARE =
	"\\b(?:dialysis|dialyse|diálisis|dialisi|hemodialysis|chemo|chemotherap|chimio|quimio|bestrahlung|bestraling|strålbehandling|cellgift|radiotherap|radiation therapy|radiothérap|radioterapia|rehab\\b(?! of)|detox\\b|ivf\\b|fertility treatment|egg retrieval|hospice|palliative|wheelchair|rollstuhl|fauteuil roulant|silla de ruedas|sedia a rotelle|rolstoel|rullstol|prosthe(?:sis|tic leg|tic arm)|hearing aids?|ventilator\\b|insulin pump|colostomy|catheter|(?:hip|knee|valve|shoulder|joint) replacement|(?:knee|back|heart|brain|hip|spinal|spine|shoulder|gallbladder|cataract|eye|bypass|bariatric|hernia|wrist|ankle|acl|jaw|cancer|thyroid|top|reassignment) (?:surgery|operation)|\\p{L}{3,14}(?:ectomy|plasty|ostomy|ektomie)\\b|c-section|caesarean|cesarean|vasectomy|tubal ligation|suicide\\b|overdosed|self-harm|selbstmordversuch|suizidversuch|addict(?:ion|ed to (?:alcohol|opi|coca|hero|painkill|pain (?:med|pill)|gambl|meth|drug|pills|xanax|oxy))|alcoholi(?:c\\b|sm)|alcohol\\b(?= (?:addiction|abuse|dependen|use disorder|withdrawal))|spinal cord injury|paraly[sz]ed|paraplegic|quadriplegic|tetraplegic|legally blind|(?:is|was|born) deaf|amput|avc\\b|ictus\\b|stroke\\b)";

/** Doctors by what they treat. */
export const SPECIALISTS =
	"psychiat(?:rist|er|re|ra|ria)|psichiatra|psiquiatra|psycholog|psychotherap|therapist (?:for|because|about|since|after|every|twice|weekly)|oncolog|onkolog|cardiolog|kardiolog|endocrinolog|neurolog|neuropsych|urolog|gyna?ecolog|gynäkolog|nephrolog|rheumatolog|haematolog|hematolog|gastroenterolog|pulmonolog|dermatolog|fertility (?:clinic|specialist|doctor)|pain clinic|methadone clinic|addiction counsel|suchtberat|eating disorder clinic|abortion clinic";

/** A stay in a hospital, which says by itself that somebody is ill. */
export const STAYS =
	"\\b(?:was|is|been|being|got|were) (?:re)?hospitali[sz]ed|\\brushed to (?:the )?(?:hospital|er\\b|a&e)|\\bin (?:the )?(?:icu\\b|intensive care|psych(?:iatric)? ward)|intensivstation|\\bliegt (?:\\p{L}{2,12} ){0,2}im krankenhaus|hospitalisée? (?:pour|en|à|depuis)|\\bingresad[oa] (?:en|por)|\\bricoverat[oa]\\b|\\bopgenomen in het ziekenhuis|\\b(?:ligt|lag|liggen) (?:\\p{L}{2,12} ){0,2}in het ziekenhuis|\\bin recovery from\\b|\\bsober (?:for|since)\\b";

/** A text about these in general. */
export const NOT_ABOUT_SOMEBODY =
	/\bcohort|meta-analys|prevalence|\bincidence|epidemiolog|randomi[sz]ed|placebo|leaflet|brochure|guideline|fictional|hypothetical|role-?play|patient (?:education|portal|app\b|record system|journey|management)|worldwide|\btrials? (?:of|with|show)|\bin (?:the|this|our) (?:trial|study)|patient zero|explain (?:to|how|what|why)|how (?:do|does|can|should|would) (?:i|we|you|one|doctors|nurses) (?:\w{1,12} ){0,2}(?:treat|manag(?!er)|diagnos|prescri|assess)|wie (?:behandelt|behandle|erkennt) man|\b(?:paper|thesis|lecture|talk|report|reading|research\w{0,3}|article|book|show|film|question|frage|pregunta|domanda|pytanie) (?:on|about|zu|über|sobre|su|o)\b|im allgemeinen|en général|en general|in generale|zodiac|brush ?stroke|stroke of|favou?rite|migrat(?:e|ion|ing)\b|blog post|awareness|great depression|strokes? (?:over|under|behind|ahead|clear|play)\b|colou?rs? (?:\w{2,8} ){0,2}bleed|adrenaline (?:junk|rush)|\bnovel\b|fiction|in general|\bessay\b|\barticle\b|dataset|\bquiz\b|\bclassifier\b|what (?:is|are) (?:the )?(?:usual|common|typical|symptoms|signs|causes)|(?:cancer|stroke|diabetes|depression|tumou?r|seizure|dialysis|asthma|migraine|epilepsy|dementia|burnout|insulin|pacemaker|allergy|autism|adhd|covid|hiv|pregnancy|malaria|sepsis)[ -](?:research|detect|predict|prevent|prävention|classif|models?\b|data|foundation|charit|apps?\b|tools?\b|schedul|unit\b|software|landing|platform|campaign|books?\b|market|conference|website|startup)|manufacturer|\bsupplier\b|\bvendors?\b|social construct|\bauthors?\b|\bargues?\b|\b(?:deaf|blind) to (?!the left)|(?:attack|stroke|aneurysm|seizure) (?:reading|watching|looking)|: ?string\b|"string"|string\[\]|\bselect (?:\*|\w{1,20}) from\b|\bcreate table\b|\benum \w|\binterface \w{2,20} ?\{|short story|(?:write|tell|continue) (?:me )?(?:a|the|this) (?:story|scene|fairy)|\bin chapter|\bprotagonist|\bcharacters?\b|screenplay|\bplot\b|\bstarring\b|\bsitcom/;
